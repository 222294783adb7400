"""The commands that make evidence: demo, import, plan, generate, judge, run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ledger.errors import ExitStatus

from . import options, output, reports
from .options import ConfigFile, CorpusFolder, DataFile, Encodings, FormatChoice, LedgerFile
from .output import Format
from .progress import Progress, message

if TYPE_CHECKING:
    from ledger.config import Config
    from ledger.dataset import Dataset, Loaded
    from ledger.plan import Plan
    from ledger.store import Store

ResponsesOut = Annotated[Path | None, typer.Option("--out", help="Write responses.json here.")]
ScoresOut = Annotated[Path | None, typer.Option("--out", help="Write scores.json here.")]

_COUNTS = ("scored_n", "out_of_context_n", "empty_n", "refused_n", "failed_n", "missing_n", "unjudged_n")


def demo(context: typer.Context, ledger: LedgerFile = None) -> None:
    """Run the whole job on bundled data: no key, no network, no model.

    A lexical baseline on loopback answers and judges by word overlap. Keeps its evidence in wildtrace-demo.duckdb unless
    --ledger or WILDTRACE_LEDGER names another file.
    """
    from ledger import dataset as datasets
    from ledger import demo as the_demo

    chosen = ledger or (context.obj if context.obj != Path("wildtrace.duckdb") else Path("wildtrace-demo.duckdb"))
    store = options.store(context, chosen)
    message("demo: two contestants and three judges, all of them a lexical baseline on loopback (word overlap, not a model)")
    loaded = _warned(datasets.load(the_demo.DATA, the_demo.CORPUS))
    with the_demo.running() as configs:
        planned = [_generate_and_judge(store, loaded, config) for config in configs]
    _tell_demo(store, planned[0].run.run_id, chosen)


def import_(
    context: typer.Context,
    data: Annotated[Path | None, typer.Option("--data", help="The dataset: nested .json or Hugging Face .jsonl.")] = None,
    corpus: Annotated[Path | None, typer.Option("--corpus", help="The folder that holds the documents.")] = None,
    encoding: Encodings = None,
    responses: Annotated[
        Path | None, typer.Option("--responses", help="Answers made elsewhere (responses.json); needs --config and --data.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="With --responses: the caps and the panel they are for.")
    ] = None,
    claim: Annotated[
        Path | None, typer.Option("--claim", help="A published result: a scores.json, or a list of {task_id, score}.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="With --claim: the run it is about, where it does not say.")] = None,
    ledger: LedgerFile = None,
) -> None:
    """Read, check and record a dataset and its documents.

    Every problem is told in one go; nothing is recorded unless all is sound. With --responses answers made elsewhere are
    brought in as a run of their own, marked imported; with --claim a published result, for `audit` to compare.
    """
    store = options.store(context, ledger)
    if claim is not None:
        _import_claim(store, claim, run)
    elif responses is not None and config is not None and data is not None:
        _import_responses(store, responses, config, _judged_dataset(store, data, corpus, encoding))
    elif responses is None and data is not None and corpus is not None:
        _import_dataset(store, _loaded(data, corpus, encoding))
    else:
        raise typer.BadParameter("give --data and --corpus, or --responses with --config and --data, or --claim")


def _import_dataset(store: Store, loaded: Loaded) -> None:
    from ledger import generate as generation

    new = generation.record_dataset(store, loaded)
    characters = sum(document.chars for document in loaded.documents.values())
    output.line(
        f"{'imported' if new else 'already imported'}: {len(loaded.dataset.tasks)} tasks over {len(loaded.documents)} documents, "
        f"{characters} characters, dataset {loaded.dataset.dataset_sha256}"
    )


def _import_responses(store: Store, responses: Path, config: Path, dataset: Dataset) -> None:
    from ledger import config as configs
    from ledger import results

    planned = results.import_responses(store, responses, dataset, configs.load(config))
    output.line(
        f"run {planned.run.run_id}  {planned.run.model}: {'imported' if planned.run.is_imported else 'the ledger has it'}"
    )


def _import_claim(store: Store, claim: Path, run: str | None) -> None:
    from ledger import claims

    found = claims.record_claim(store, claim, run)
    about = f"run {found.run_id}" if found.run_id else f"model {found.model}" if found.model else "no run in particular"
    output.line(f"claim {found.name} recorded: {len(found.figures)} figures, about {about}; `wildtrace audit` compares it")


def plan(
    context: typer.Context,
    config: ConfigFile,
    data: DataFile,
    corpus: CorpusFolder,
    encoding: Encodings = None,
    form: FormatChoice = Format.TABLE,
    ledger: LedgerFile = None,
) -> None:
    """Say what a run would do and cost. Calls nobody and writes nothing."""
    from ledger import config as configs
    from ledger import estimate
    from ledger import plan as plans

    settings, loaded = configs.load(config), _loaded(data, corpus, encoding)
    store = options.store(context, ledger)
    planned = plans.make_plan(loaded.dataset, settings)
    _warn_of_default_cap(planned)
    answered: set[str] = set()
    if store.exists():
        with store.reading() as connection:
            answered = plans.answered_keys(connection, planned)
    facts = estimate.of_plan(planned, settings, answered)
    if form is Format.JSON:
        output.document(facts)
    else:
        output.rows(["what", "value"], list(facts.items()), form)


def generate(
    context: typer.Context,
    config: ConfigFile,
    data: DataFile,
    corpus: CorpusFolder,
    out: ResponsesOut = None,
    encoding: Encodings = None,
    ledger: LedgerFile = None,
) -> None:
    """Ask the model what is in context and has no answer yet.

    The protocol's run_eval.py, with its flags. Run it again to ask what failed.
    """
    from ledger import config as configs

    settings, loaded = configs.load(config), _loaded(data, corpus, encoding)
    store = options.store(context, ledger)
    planned = _generate(store, loaded, settings, out)
    _finish_generation(store, planned)


def judge(
    context: typer.Context,
    config: ConfigFile,
    data: DataFile,
    responses: Annotated[Path | None, typer.Option("--responses", help="Judge the answers of this responses.json.")] = None,
    corpus: Annotated[Path | None, typer.Option("--corpus", help="The documents, if the ledger does not hold them yet.")] = None,
    out: ScoresOut = None,
    encoding: Encodings = None,
    ledger: LedgerFile = None,
) -> None:
    """Have the panel grade every answer that lacks a verdict.

    The protocol's run_judge.py, with its flags. Run it again to ask what failed or could not be read.
    """
    from ledger import config as configs
    from ledger import generate as generation
    from ledger import judge as judging
    from ledger import plan as plans
    from ledger import results

    settings, store = configs.load(config), options.store(context, ledger)
    dataset = _judged_dataset(store, data, corpus, encoding)
    if responses is not None:
        planned = results.import_responses(store, responses, dataset, settings)
    else:
        planned = plans.make_plan(dataset, settings)
    if not planned.run.is_imported:
        generation.record_run(store, planned, settings)
    try:
        judging.judge(store, dataset, planned, settings, Progress())
    finally:
        _write_scores(store, planned, out)
    _finish_scoring(store, planned)


def run(
    context: typer.Context,
    config: ConfigFile,
    data: DataFile,
    corpus: CorpusFolder,
    out: ScoresOut = None,
    encoding: Encodings = None,
    ledger: LedgerFile = None,
) -> None:
    """Generate, then judge; print Scored and All<N>."""
    from ledger import config as configs
    from ledger import plan as plans
    from ledger import results

    settings, loaded = configs.load(config), _loaded(data, corpus, encoding)
    store = options.store(context, ledger)
    planned = plans.make_plan(loaded.dataset, settings)
    figures = results.finished(store, loaded, planned, settings)
    if figures is None:
        _generate_and_judge(store, loaded, settings, out)
        _finish_scoring(store, planned)
    else:
        _warn_of_default_cap(planned)
        _write_scores(store, planned, out)
        _tell_scoring(figures, [])


def _loaded(data: Path, corpus: Path, encoding: list[str] | None) -> Loaded:
    from ledger import dataset as datasets

    return _warned(datasets.load(data, corpus, options.encodings(encoding)))


def _warned(loaded: Loaded) -> Loaded:
    for warning in loaded.warnings:
        message(f"warning: {warning}")
    return loaded


def _judged_dataset(store: Store, data: Path, corpus: Path | None, encoding: list[str] | None) -> Dataset:
    """Return the dataset to judge: from the files where the corpus is given, else as the ledger holds it."""
    from ledger import dataset as datasets
    from ledger import generate as generation
    from ledger import plan as plans

    if corpus is not None:
        loaded = _loaded(data, corpus, encoding)
        generation.record_dataset(store, loaded)
        return loaded.dataset
    questions = datasets.load_questions(data)
    with store.reading() as connection:
        return plans.find_dataset(connection, str(data), questions)


def _generate(store: Store, loaded: Loaded, settings: Config, out: Path | None) -> Plan:
    from ledger import generate as generation
    from ledger import plan as plans
    from ledger import results

    planned = plans.make_plan(loaded.dataset, settings)
    _warn_of_default_cap(planned)
    try:
        generation.generate(store, loaded, planned, settings, Progress())
    finally:
        if out is not None and store.exists():
            with store.reading() as connection:
                found = results.responses(connection, planned.run.run_id, planned.run.model)
            results.write_json(out, found)
    return planned


def _generate_and_judge(store: Store, loaded: Loaded, settings: Config, out: Path | None = None) -> Plan:
    from ledger import judge as judging

    planned = _generate(store, loaded, settings, None)
    try:
        judging.judge(store, loaded.dataset, planned, settings, Progress())
    finally:
        _write_scores(store, planned, out)
    return planned


def _write_scores(store: Store, planned: Plan, out: Path | None) -> None:
    from ledger import results

    if out is not None:
        with store.reading() as connection:
            found = results.scores(connection, planned.run.run_id)
        results.write_json(out, found)


def _warn_of_default_cap(planned: Plan) -> None:
    if planned.requests and planned.requests[0].cap_source == "default":
        message(
            f"warning: {planned.run.model} is not in the protocol's caps table: the default cap applies. "
            "Probe its real window and add a caps entry; an inherited cap has mis-ranked models before (protocol §3)"
        )


def _finish_generation(store: Store, planned: Plan) -> None:
    from ledger import results

    with store.reading() as connection:
        row = results.figures(connection, planned.run.run_id)
        failures = connection.rows("select_failures", run_id=planned.run.run_id)
    answered = row["scored_n"] + row["unjudged_n"]
    output.line(
        f"run {row['run_id']}  {planned.run.model}: {answered} answered, {_counts(row, _COUNTS[1:6])}; {row['tasks_n']} tasks"
    )
    _tell_failures(failures)
    if row["failed_n"] or row["missing_n"]:
        raise typer.Exit(ExitStatus.INCOMPLETE)


def _finish_scoring(store: Store, planned: Plan) -> None:
    from ledger import results

    with store.reading() as connection:
        row = results.figures(connection, planned.run.run_id)
        failures = [] if row["complete"] else connection.rows("select_failures", run_id=planned.run.run_id)
    _tell_scoring(row, failures)


def _tell_scoring(row: dict[str, Any], failures: list[dict[str, Any]]) -> None:
    output.line(f"run {row['run_id']}  {row['model']}: {_counts(row, _COUNTS)}; {row['tasks_n']} tasks")
    output.line(f"Scored  {_figure(row['scored_overall'])}  ({row['scored_n']} tasks scored by the whole panel)")
    output.line(f"All{row['tasks_n']}  {_figure(row['overall'])}")
    if row["overall"] is None:
        message(
            f"All{row['tasks_n']} is NULL while {row['unjudged_n']} answered tasks lack a judge; it will be within "
            f"{_figure(row['overall_lo'])} and {_figure(row['overall_hi'])}. Run the same command again to ask the judges again"
        )
    _tell_failures(failures)
    if not row["complete"]:
        raise typer.Exit(ExitStatus.INCOMPLETE)


def _figure(value: Any) -> str:
    return "NULL" if value is None else f"{value:f}"  # str() writes an exact zero as 0E-9


def _counts(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return ", ".join(f"{row[name]} {name.removesuffix('_n').replace('_', ' ')}" for name in names if row[name]) or "nothing yet"


def _tell_failures(failures: list[dict[str, Any]]) -> None:
    for failure in failures:
        message(f"{failure['requests_n']} {failure['purpose']} request(s) failed, {failure['error']}: {failure['error_detail']}")


def _tell_demo(store: Store, run_id: str, path: Path) -> None:
    from ledger import why

    with store.reading() as connection:
        board = connection.rows("select_leaderboard")
        totals: dict[str, set[Any]] = {}
        for judge in connection.rows("select_judge_scores", run_id=run_id):
            totals.setdefault(judge["task_id"], set()).add(judge["total"])
        task_id = max(totals, key=lambda task: len(totals[task]))  # where the judges differ most
        explained = why.explain_task(connection, run_id, task_id)
    output.line("\nLeaderboard")
    columns = (
        "rank",
        "model",
        "overall",
        "scored_overall",
        "scored_n",
        "tasks_n",
        "out_of_context_n",
        "empty_n",
        "refused_n",
        "run_id",
        "class_id",
    )
    output.records(board, Format.TABLE, columns)
    output.line(f"\nOne score taken apart: run {run_id}, task {task_id}")
    for line in reports.task_lines(explained, brief=True):
        output.line(f"  {line}")
    query = f"FROM judge_scores WHERE run_id = '{run_id}'"
    output.line(f"\nEvery prompt, reply and HTTP exchange behind these figures is a row in {path}:")
    output.line(f'  wildtrace --ledger {path} sql "{query}"')
    output.line('Next, your own endpoint: write a config.json (README, "Your own model"), then')
    output.line("  wildtrace plan --config config.json --data tasks.json --corpus corpus/")
    output.line("  wildtrace run  --config config.json --data tasks.json --corpus corpus/")
