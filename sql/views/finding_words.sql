-- What each kind of finding means, and what to do about it.
CREATE OR REPLACE VIEW finding_words AS
SELECT
    words.dimension,
    words.severity,
    words.is_mix,
    words.meaning
FROM (
    VALUES
    ('dataset', 'error', TRUE, 'runs over different dataset versions: compare runs of one dataset_sha256 only'),
    ('prompt_template', 'error', TRUE, 'runs with different prompt templates: compare within one class only'),
    ('decoding_policy', 'error', TRUE, 'runs with different decoding settings: run them again with the same, or compare within one class'),
    ('cap_rule', 'error', TRUE, 'runs under different cap tables, or an override of one: run again with the protocol caps, or compare within one class'),
    ('retry_policy', 'error', TRUE, 'runs with different retry policies: compare within one class only'),
    ('judge_template', 'error', TRUE, 'runs with different judge prompts: judge again with one version of this tool'),
    ('panel_policy', 'error', TRUE, 'runs graded by different panels: judge them again with one panel, or compare within one class'),
    ('judge_settings', 'error', TRUE, 'one judge with different settings: judge again with the same, or compare within one class'),
    ('verdict_parser', 'error', TRUE, 'replies read by different parsers: open the ledger with one version of this tool'),
    ('aggregation', 'error', TRUE, 'figures made by different views: open the ledger with one version of this tool'),
    ('caps', 'error', TRUE, 'one model under different caps, so other tasks count as out of context: quote the run whose caps are the real window'),
    ('base_url', 'warning', TRUE, 'one model by different base URLs, which may serve different things: say which one a figure is from'),
    ('judge_base_url', 'warning', TRUE, 'one judge by different base URLs, which may serve different things: judge again by one'),
    ('judge_is_contestant', 'error', FALSE, 'a judge is a contestant on the board: it grades itself or its rivals; use judges that are not ranked'),
    ('cap_default', 'warning', FALSE, 'the default cap for a model that is not in the caps table: probe its real window and add a caps entry'),
    ('cap_of_other_model', 'warning', FALSE, 'the cap of another model or version: probe the real window and add a caps entry of its own'),
    ('cap_above_window', 'error', FALSE, 'the cap is above the real window of the route: tasks fail that should be out of context; lower the cap'),
    ('served_model', 'warning', FALSE, 'answers came from another model than was asked for: check the endpoint'),
    ('served_model_changes', 'warning', FALSE, 'the served model changed within the run: figures mix two models; run a replicate'),
    ('system_fingerprint_changes', 'warning', FALSE, 'the system fingerprint changed within the run: the provider changed something; a replicate shows by how much'),
    ('judge_served_model', 'warning', FALSE, 'judge replies came from another model than was asked for: check the endpoint'),
    ('answers_cut', 'warning', FALSE, 'answers were cut by max_tokens: a larger budget may score higher'),
    ('reasoning_budget', 'warning', FALSE, 'a reasoning model with max_tokens below 32768, which costs it points (protocol section 2): set reasoning to true'),
    ('reasoning_in_answer', 'info', FALSE, 'answers hold a reasoning block, judged as it came: judges see only the first 5000 characters'),
    ('answer_over_judge_cut', 'info', FALSE, 'answers longer than the 5000 characters that judges see'),
    ('question_over_judge_cut', 'info', FALSE, 'questions longer than the 600 characters that judges see'),
    ('criterion_over_judge_cut', 'info', FALSE, 'criteria longer than the 260 characters that judges see'),
    ('total_contradicts_points', 'warning', FALSE, 'totals that are not the sum of the points the judge listed; the total counts (protocol section 4)'),
    ('several_tries', 'info', FALSE, 'verdicts that needed several replies of the judge; what cannot be read first may differ from what can'),
    ('unparsed_rate', 'warning', FALSE, 'more than 2 percent of the replies of a judge cannot be read: the verdicts that can be are a selection'),
    ('several_valid_verdicts', 'info', FALSE, 'more than one valid verdict for one request: the earliest counts'),
    ('speaks_to_grader', 'warning', FALSE, 'answers that hold verdict-like JSON or instructions to a grader: read them'),
    ('endpoint_dates', 'warning', FALSE, 'requests spread over two weeks or more: the endpoint may have changed meanwhile; say so with the figure'),
    ('imported_prompts', 'warning', FALSE, 'imported answers whose prompts are not proven to be those of the protocol: a class of their own'),
    ('figures_moved', 'warning', FALSE, 'a new verdict parser or new views moved the figures: quote which version a figure is from')
) AS words (dimension, severity, is_mix, meaning);
COMMENT ON VIEW finding_words IS 'One row per kind of finding';
COMMENT ON COLUMN finding_words.dimension IS 'What the finding is about';
COMMENT ON COLUMN finding_words.severity IS 'error (figures may not be compared or are wrong), warning (say it with the figure) or info';
COMMENT ON COLUMN finding_words.is_mix IS 'Whether it is a mix: several values where the runs of a board must have one';
COMMENT ON COLUMN finding_words.meaning IS 'What it means and what to do';
