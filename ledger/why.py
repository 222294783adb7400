"""From a task's score to its evidence: the arithmetic with every term, and the hashes that lead to the bytes."""

from __future__ import annotations

from ledger.errors import InputError
from ledger.identity import decimal_text
from ledger.store import Connection


def explain_task(connection: Connection, run_id: str, task_id: str) -> list[str]:
    """Return, line by line, where a task's score comes from. Raises InputError for a task that is not of the run."""
    found = connection.rows("select_task_evidence", run_id=run_id, task_id=task_id)
    if not found:
        raise InputError(f"{task_id}: no task of run {run_id} has this id")
    task = found[0]
    cap = f"{task['cap_chars']} ({'cjk' if task['is_cjk'] else 'en'}, {task['cap_source']})"
    lines = [f"document  {task['document_chars']} characters, cap {cap}"]
    if task["request_key"] is None:
        return [*lines, f"score     0: {task['status']}, the document was not sent"]
    lines += [f"prompt    {task['prompt_sha256']}", f"request   {task['request_key']}, {task['attempts_n']} attempt(s)"]
    if task["response_sha256"] is not None:
        lines.append(f"response  {task['response_sha256']}, {task['answer_status']}, finish_reason {task['finish_reason']}")
    judges = [row for row in connection.rows("select_judge_scores", run_id=run_id) if row["task_id"] == task_id]
    for judge in judges:
        shown = "no verdict" if judge["total"] is None else decimal_text(judge["total"])
        reply = judge["reply_sha256"] or judge["status"]
        lines.append(f"judge     {judge['judge']}: {shown} of {decimal_text(judge['points_possible'])}, reply {reply}")
    if task["status"] != "scored":
        score = "none yet" if task["final_score"] is None else decimal_text(task["final_score"])
        return [*lines, f"score     {score}: {task['status']}"]
    totals = " + ".join(decimal_text(judge["total"]) for judge in judges)
    possible = decimal_text(judges[0]["points_possible"])
    return [*lines, f"score     ({totals}) / ({possible} x {len(judges)}) = {decimal_text(task['final_score'])}"]
