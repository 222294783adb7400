"""The wheel: built through the sdist, it holds what the checkout holds, and the demo runs from it."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[1]
INSIDE = {
    "ledger/": "ledger/",
    "cli/": "ledger/cli/",
    "sql/": "ledger/sql/",
    "data/": "ledger/data/",
    "corpus/": "ledger/corpus/",
}
SHIPPED = (".py", ".sql", ".txt", ".json", ".jsonl", ".html", ".css", ".js", "py.typed")


def git_files() -> list[str]:
    """Return the files that are tracked, or new and not ignored."""
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True)  # noqa: S607 - git from the PATH
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel built from it."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in git_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source], check=True, capture_output=True)
    return out


def test_the_wheel_holds_the_checkout(built: Path) -> None:
    """Every module, .sql file and demo text is in the wheel at its place, and nothing else is; the sdist has the licence."""
    (wheel,) = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        place + name.removeprefix(folder)
        for name in git_files()
        for folder, place in INSIDE.items()
        if name.startswith(folder) and name.endswith(SHIPPED)
    }
    assert names == expected
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        assert {Path(name).name for name in archive.getnames()} >= {"LICENSE", "README.md", "pyproject.toml"}


def test_the_demo_runs_from_the_wheel(built: Path, tmp_path: Path) -> None:
    """Installed into an environment of its own, away from the checkout, the demo ends with its leaderboard."""
    (wheel,) = built.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "v"], check=True)
    python = tmp_path / "v" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, capture_output=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [tmp_path / "v" / "bin" / "wildtrace", "demo"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Leaderboard" in done.stdout
    where = subprocess.check_output(
        [python, "-c", "import ledger; print(ledger.__file__)"], cwd=tmp_path, env=environment, text=True
    )
    assert str(tmp_path / "v") in where
