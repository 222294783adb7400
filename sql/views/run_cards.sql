-- What a run must be reported with (protocol section 6, last paragraph): route, endpoint date, context policy, decoding settings and judge panel, beside its figures.
CREATE OR REPLACE VIEW run_cards AS
WITH answer_times AS (
    SELECT
        run_requests.run_id,
        MIN(request_attempts.first_at) AS first_asked_at,
        MAX(request_attempts.last_at) AS last_asked_at
    FROM run_requests
    INNER JOIN request_attempts
        ON run_requests.request_key = request_attempts.request_key
    GROUP BY run_requests.run_id
),

judge_times AS (
    SELECT
        judge_requests.run_id,
        MIN(request_attempts.first_at) AS first_judged_at,
        MAX(request_attempts.last_at) AS last_judged_at
    FROM judge_requests
    INNER JOIN request_attempts
        ON judge_requests.request_key = request_attempts.request_key
    GROUP BY judge_requests.run_id
)

SELECT
    run_scores.run_id,
    run_scores.label,
    run_scores.model,
    run_scores.class_id,
    runs.base_url,
    runs.is_imported,
    answer_times.first_asked_at,
    answer_times.last_asked_at,
    judge_times.first_judged_at,
    judge_times.last_judged_at,
    run_settings.served_models,
    run_settings.decoding,
    run_settings.cap_en,
    run_settings.cap_cjk,
    run_settings.cap_source,
    run_settings.cap_override,
    run_settings.retry_policy,
    run_settings.panel,
    runs.replicate,
    runs.judge_replicate,
    runs.dataset_sha256,
    datasets.name AS dataset,
    run_classes.parser_version,
    run_classes.aggregation_fingerprint,
    run_scores.overall,
    run_scores.overall_lo,
    run_scores.overall_hi,
    run_scores.scored_overall,
    run_scores.scored_n,
    run_scores.tasks_n,
    run_scores.out_of_context_n,
    run_scores.empty_n,
    run_scores.refused_n,
    run_scores.failed_n,
    run_scores.missing_n,
    run_scores.unjudged_n,
    run_scores.complete
FROM run_scores
INNER JOIN runs
    ON run_scores.run_id = runs.run_id
INNER JOIN run_classes
    ON run_scores.run_id = run_classes.run_id
INNER JOIN run_settings
    ON run_scores.run_id = run_settings.run_id
INNER JOIN datasets
    ON runs.dataset_sha256 = datasets.dataset_sha256
LEFT JOIN answer_times
    ON run_scores.run_id = answer_times.run_id
LEFT JOIN judge_times
    ON run_scores.run_id = judge_times.run_id;
COMMENT ON VIEW run_cards IS 'One row per run';
COMMENT ON COLUMN run_cards.run_id IS 'The run';
COMMENT ON COLUMN run_cards.label IS 'Its latest label';
COMMENT ON COLUMN run_cards.model IS 'Model name as sent';
COMMENT ON COLUMN run_cards.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN run_cards.base_url IS 'Address of the model, without user part; empty for an imported run';
COMMENT ON COLUMN run_cards.is_imported IS 'Whether the answers were made elsewhere';
COMMENT ON COLUMN run_cards.first_asked_at IS 'Start of the first exchange for an answer, UTC; NULL where this ledger asked for none';
COMMENT ON COLUMN run_cards.last_asked_at IS 'End of the last exchange for an answer, UTC';
COMMENT ON COLUMN run_cards.first_judged_at IS 'Start of the first exchange with a judge, UTC; replies shared with another run count with their own date';
COMMENT ON COLUMN run_cards.last_judged_at IS 'End of the last exchange with a judge, UTC';
COMMENT ON COLUMN run_cards.served_models IS 'The models that the provider says it served';
COMMENT ON COLUMN run_cards.decoding IS 'The parameters as sent, JSON';
COMMENT ON COLUMN run_cards.cap_en IS 'Cap in characters for every document that is not CJK';
COMMENT ON COLUMN run_cards.cap_cjk IS 'Cap in characters for CJK documents';
COMMENT ON COLUMN run_cards.cap_source IS 'protocol, config, probed or default';
COMMENT ON COLUMN run_cards.cap_override IS 'The caps that replace the table of the protocol for a model it lists, JSON; null where it stands';
COMMENT ON COLUMN run_cards.retry_policy IS 'Which failures are asked again, JSON';
COMMENT ON COLUMN run_cards.panel IS 'Each judge with its address and parameters';
COMMENT ON COLUMN run_cards.replicate IS '0, 1, 2 and so on: a deliberate repeat of generation';
COMMENT ON COLUMN run_cards.judge_replicate IS '0, 1, 2 and so on: a deliberate repeat of judging';
COMMENT ON COLUMN run_cards.dataset_sha256 IS 'The dataset';
COMMENT ON COLUMN run_cards.dataset IS 'The file name it was first imported from';
COMMENT ON COLUMN run_cards.parser_version IS 'Version of the verdict parser that reads the replies';
COMMENT ON COLUMN run_cards.aggregation_fingerprint IS 'Hash of the SQL that makes the figures';
COMMENT ON COLUMN run_cards.overall IS 'All-N; NULL while an answered task lacks a judge';
COMMENT ON COLUMN run_cards.overall_lo IS 'All-N if every unjudged task got 0';
COMMENT ON COLUMN run_cards.overall_hi IS 'All-N if every unjudged task got 1';
COMMENT ON COLUMN run_cards.scored_overall IS 'Scored: mean over the tasks scored by the whole panel';
COMMENT ON COLUMN run_cards.scored_n IS 'Number of those tasks';
COMMENT ON COLUMN run_cards.tasks_n IS 'Tasks of the dataset';
COMMENT ON COLUMN run_cards.out_of_context_n IS 'Tasks whose document is over the cap';
COMMENT ON COLUMN run_cards.empty_n IS 'Tasks with empty output';
COMMENT ON COLUMN run_cards.refused_n IS 'Tasks that were refused';
COMMENT ON COLUMN run_cards.failed_n IS 'Tasks asked without a usable reply yet';
COMMENT ON COLUMN run_cards.missing_n IS 'Tasks never asked';
COMMENT ON COLUMN run_cards.unjudged_n IS 'Answered tasks that lack a judge';
COMMENT ON COLUMN run_cards.complete IS 'Nothing failed, missing or unjudged';
