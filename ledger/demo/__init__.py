"""The demo: the whole job on the bundled data, against the lexical baseline on loopback."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ledger import config, resources
from ledger.config import Config
from ledger.demo import baseline
from ledger.demo.endpoint import LoopbackEndpoint

DATA: Final = resources.DATA / "demo_tasks.json"
CORPUS: Final = resources.CORPUS
_PORT: Final = 48141  # the same every time: an address is part of a run's identity, so a second demo asks nothing
_CONTESTANTS: Final[dict[str, dict[str, int]]] = {
    "lexical-baseline-top3": {"en": 20_000, "cjk": 8_000},
    "lexical-baseline-top1": {"en": 12_000, "cjk": 4_000},
}


@contextmanager
def running() -> Iterator[tuple[Config, ...]]:
    """Serve the lexical baseline and yield the demo's configs: two contestants of different caps, three judges."""
    with LoopbackEndpoint(baseline.answer_or_judge, _PORT) as endpoint, tempfile.TemporaryDirectory() as folder:
        configs = []
        for model, caps in _CONTESTANTS.items():
            path = Path(folder) / f"{model}.json"
            path.write_text(json.dumps(config_body(endpoint.base_url, model, caps)), encoding="utf-8")
            configs.append(config.load(path))
        yield tuple(configs)


def config_body(base_url: str, model: str, caps: dict[str, int]) -> dict[str, Any]:
    """Return a demo contestant's config.json."""
    return {
        "base_url": base_url,
        "model": model,
        "label": f"{model} (no model: word overlap)",
        "family": "lexical",
        "api_key_env": None,
        "caps": {model: caps},
        "judges": [{"model": judge, "family": "lexical"} for judge in baseline.JUDGE_MODELS],
    }
