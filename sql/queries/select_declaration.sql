-- What was last declared about a model. $model.
SELECT
    family,
    reasoning
FROM model_declarations
WHERE model = $model
ORDER BY
    recorded_at DESC
LIMIT 1;
