"""The pages tell the truth: those made from the running thing are up to date, and the README shows what really happens."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from conftest import Workshop

from ledger import config, dataset

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The module that makes pages."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["cli", "schema"])
def test_pages_are_what_the_running_thing_says(generate: ModuleType, page: str) -> None:
    """docs/cli.md is what --help prints, docs/schema.md what the COMMENTs say; `make docs` writes both."""
    made: str = getattr(generate, f"{page}_page")()
    assert (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") == made


@pytest.mark.usefixtures("port_of_the_demo")
def test_the_readme_shows_what_the_demo_prints(generate: ModuleType) -> None:
    """The output in the README is the demo's own, to the letter."""
    assert generate.readme_page() == README


def test_the_readmes_config_and_data_are_sound(tmp_path: Path) -> None:
    """The config.json and the task of the README load as they stand."""
    settings, tasks = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    (tmp_path / "config.json").write_text(settings, encoding="utf-8")
    (tmp_path / "tasks.json").write_text(tasks, encoding="utf-8")
    (tmp_path / "light.txt").write_text("Inês Varga kept the light.", encoding="utf-8")
    assert len(config.load(tmp_path / "config.json").judges or ()) == 3
    assert dataset.load(tmp_path / "tasks.json", tmp_path).warnings == ()


def test_every_command_of_the_pages_exists(workshop: Workshop) -> None:
    """Each `wildtrace command` and --flag in the README's shell blocks is one that the program knows."""
    helped: dict[str, str] = {}
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("wildtrace "):
                command = line.split()[1]
                helped.setdefault(command, workshop.run_plain(command, "--help").out)
                for flag in re.findall(r" (--[a-z]+)", line):
                    assert flag in helped[command], line
    assert set(helped) >= {"plan", "run", "leaderboard", "show", "sql"}


def test_every_key_of_config_json_is_described() -> None:
    """docs/config.md has a row for each key, and no other."""
    described = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "config.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(described) == set(config.ConfigFields.model_fields)


def test_every_dependency_is_justified() -> None:
    """docs/dependencies.md has a line for each dependency of pyproject.toml, and no other."""
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\w+) \|", page, re.MULTILINE)[1:] == [
        re.split(r"[<>=]", name)[0] for name in named["project"]["dependencies"]
    ]
    developing = [name for group in named["dependency-groups"].values() for name in group if isinstance(name, str)]
    assert not [name for name in developing if re.split(r"[<>=]", name)[0] not in page]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_pins_by_hash_and_has_no_address(lock: str) -> None:
    """Every package of a lock has its versions and their hashes, and no index is named."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    pins = re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)
    assert pins == sorted(pins)
    assert len(pins) == len(re.findall(r"==.*\\\n    --hash=sha256:", text))
