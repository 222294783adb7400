"""The ledger's rows as frozen dataclasses: a field is a column, a class a table of `sql/schema/`.

Rows are plain values: timestamps are ISO 8601 UTC strings with microseconds, decimals are Decimal, JSON columns
are Python values, raw bodies bytes. The meaning of each column stands in its COMMENT.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from ledger.identity import Json


def timestamp(epoch_s: float) -> str:
    """Return a time as the ledger writes it: ISO 8601, UTC, microseconds."""
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True)
class Document:
    document_sha256: str
    text: str
    chars: int
    cjk_head_n: int


@dataclass(frozen=True)
class DocumentFile:
    document_sha256: str
    corpus_file: str
    raw_sha256: str
    raw_bytes: int
    encoding: str
    has_bom: bool
    newlines: str


@dataclass(frozen=True)
class Task:
    task_sha256: str
    task_id: str
    question: str
    document_sha256: str


@dataclass(frozen=True)
class TaskAttributes:
    task_sha256: str
    attributes_sha256: str
    attributes: Json
    recorded_at: str


@dataclass(frozen=True)
class RubricCriterion:
    task_sha256: str
    position: int
    points: Decimal
    correct_criterion: str


@dataclass(frozen=True)
class Dataset:
    dataset_sha256: str
    tasks_n: int
    name: str
    imported_at: str


@dataclass(frozen=True)
class DatasetTask:
    dataset_sha256: str
    task_id: str
    task_sha256: str


@dataclass(frozen=True)
class Config:
    fingerprint: str
    kind: str
    body: Json


@dataclass(frozen=True)
class PanelJudge:
    panel_fingerprint: str
    judge_fingerprint: str
    model: str
    base_url: str


@dataclass(frozen=True)
class Run:
    run_id: str
    dataset_sha256: str
    model: str
    base_url: str
    route_fingerprint: str
    decoding_policy_fingerprint: str
    caps_fingerprint: str
    cap_rule_fingerprint: str
    prompt_template_fingerprint: str
    retry_policy_fingerprint: str
    judge_template_fingerprint: str
    panel_fingerprint: str
    panel_policy_fingerprint: str
    replicate: int
    judge_replicate: int
    is_imported: bool
    created_at: str


@dataclass(frozen=True)
class RunLabel:
    run_id: str
    label: str
    recorded_at: str


@dataclass(frozen=True)
class ModelDeclaration:
    model: str
    family: str | None
    reasoning: bool | None
    recorded_at: str


@dataclass(frozen=True)
class Prompt:
    prompt_sha256: str
    kind: str
    template_fingerprint: str
    task_sha256: str
    response_sha256: str | None
    chars: int


@dataclass(frozen=True)
class RunRequest:
    run_id: str
    task_id: str
    task_sha256: str
    cap_chars: int
    cap_source: str
    prompt_sha256: str | None
    request_key: str | None


@dataclass(frozen=True)
class JudgeRequest:
    run_id: str
    task_id: str
    judge_fingerprint: str
    response_sha256: str
    prompt_sha256: str
    request_key: str


@dataclass(frozen=True)
class Attempt:
    attempt_key: str
    request_key: str
    purpose: str
    started_at: str
    ended_at: str
    status: int | None
    headers: Json
    body: bytes
    error: str | None
    error_detail: str | None


@dataclass(frozen=True)
class Response:
    request_key: str
    response_sha256: str
    status: str
    text: str
    finish_reason: str | None
    served_model: str | None
    system_fingerprint: str | None
    reasoning: str | None
    refusal: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    ended_at: str
    attempt_key: str


@dataclass(frozen=True)
class JudgeReply:
    request_key: str
    reply_sha256: str
    text: str
    finish_reason: str | None
    served_model: str | None
    system_fingerprint: str | None
    reasoning: str | None
    refusal: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    ended_at: str
    attempt_key: str


@dataclass(frozen=True)
class Verdict:
    request_key: str
    attempt_key: str
    reply_sha256: str
    parser_version: str
    status: str
    reason: str | None
    total: Decimal | None
    points_awarded: list[str] | None
    points_count_matches: bool | None
    total_matches_points: bool | None
    ended_at: str


@dataclass(frozen=True)
class Segment:
    segment: str
    rows_n: int
    sha256: str
    ingested_at: str


@dataclass(frozen=True)
class FigureMove:
    run_id: str
    parser_version_before: str
    parser_version: str
    aggregation_before: str
    aggregation: str
    overall_before: Decimal | None
    overall: Decimal | None
    scored_overall_before: Decimal | None
    scored_overall: Decimal | None
    recorded_at: str


@dataclass(frozen=True)
class Claim:
    claim_sha256: str
    name: str
    run_id: str | None
    model: str | None
    figures: Json
    recorded_at: str


@dataclass(frozen=True)
class ClaimTask:
    claim_sha256: str
    task_id: str
    score: str | None


TABLES: dict[type, str] = {
    Document: "documents",
    DocumentFile: "document_files",
    Task: "tasks",
    TaskAttributes: "task_attributes",
    RubricCriterion: "rubric_criteria",
    Dataset: "datasets",
    DatasetTask: "dataset_tasks",
    Config: "configs",
    PanelJudge: "panel_judges",
    Run: "runs",
    RunLabel: "run_labels",
    ModelDeclaration: "model_declarations",
    Prompt: "prompts",
    RunRequest: "run_requests",
    JudgeRequest: "judge_requests",
    Attempt: "attempts",
    Response: "responses",
    JudgeReply: "judge_replies",
    Verdict: "verdicts",
    Segment: "segments",
    FigureMove: "figure_moves",
    Claim: "claims",
    ClaimTask: "claim_tasks",
}
"""The table of each row class."""
