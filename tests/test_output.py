"""What the command prints, byte for byte, for one row of every hard type in each format."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import WILDTRACE, Workshop

from ledger.store import Store

GOLDEN = Path(__file__).parent / "golden"
HARD_TYPES = r"""
SELECT
    '漢字 é 😀' AS "wide text",
    CAST(NULL AS INTEGER) AS nothing,
    '' AS empty,
    'one' || CHR(10) || 'two' || CHR(13) || 'three' AS lines,
    CAST(0.123456789 AS DECIMAL(18, 9)) AS fraction,
    CAST(100 AS DECIMAL(18, 9)) AS whole,
    CAST('-12345678901234567890123456789012345678' AS DECIMAL(38, 0)) AS digits,
    170141183460469231731687303715884105727::HUGEINT AS huge,
    CAST('nan' AS DOUBLE) AS nan,
    CAST('-inf' AS DOUBLE) AS infinite,
    0.1 + 0.2::DOUBLE AS binary,
    '\x00\xFFab'::BLOB AS blob,
    CHR(27) || '[31mred' || CHR(7) || CHR(155) || CHR(8238) || CHR(0) AS control,
    '=1+1' AS formula,
    'a|b \ <i>"c", `d`' AS marks,
    TIMESTAMP '2027-01-15 08:00:00.25' AS moment,
    DATE '2027-01-15' AS day,
    TRUE AS yes,
    [1, NULL, 3] AS list,
    {'a': CAST(1.50 AS DECIMAL(3, 2)), 'b': ['x' || CHR(10)]} AS struct,
    MAP {'k': TIMESTAMP '2027-01-15 08:00:00'} AS map,
    CAST('00000000-0000-0000-0000-000000000001' AS UUID) AS id
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A folder with an empty ledger, in a time zone that is not UTC."""
    made = Workshop(tmp_path_factory.mktemp("output"), {"TZ": "Asia/Tokyo", "PYTHONUTF8": "1"})
    with Store(made.ledger).writing():
        pass
    return made


def printed(shop: Workshop, statement: str, form: str) -> bytes:
    """Return the bytes that `wildtrace sql` writes to stdout."""
    done = subprocess.run(
        [WILDTRACE, "--ledger", shop.ledger, "sql", "--format", form, statement],
        capture_output=True,
        timeout=60,
        check=False,
        env=shop.env(),
        cwd=shop.folder,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("form", ["json", "csv", "table", "markdown"])
def test_every_hard_type_is_printed_as_it_always_was(shop: Workshop, form: str) -> None:
    """The golden file of each format holds, to the byte, what is printed for one row of every hard type."""
    rows, golden = printed(shop, HARD_TYPES, form), (GOLDEN / f"hard_types.{form}").read_bytes()
    if form == "json":  # what is said about comparability is the guard's business
        rows, golden = rows.partition(b' "comparability": ')[0], golden.partition(b' "comparability": ')[0]
    assert rows == golden


def test_json_holds_the_values_as_they_are() -> None:
    """Text is unchanged, DECIMAL a number, a timestamp ISO 8601 UTC, bytes base64; what JSON has no number for is a word."""
    document = json.loads((GOLDEN / "hard_types.json").read_text(encoding="utf-8"))
    assert document["columns"] == list(document["rows"][0])
    assert document["rows"] == [
        {
            "wide text": "漢字 é 😀", "nothing": None, "empty": "", "lines": "one\ntwo\rthree", "fraction": 0.123456789,
            "whole": 100, "digits": -12345678901234567890123456789012345678,
            "huge": 170141183460469231731687303715884105727, "nan": "nan", "infinite": "-inf", "binary": 0.30000000000000004,
            "blob": "AP9hYg==", "control": "\x1b[31mred\x07\x9b\u202e\0", "formula": "=1+1", "marks": 'a|b \\ <i>"c", `d`',
            "moment": "2027-01-15T08:00:00.250000Z", "day": "2027-01-15", "yes": True,
            "list": [1, None, 3], "struct": {"a": 1.5, "b": ["x\n"]}, "map": {"k": "2027-01-15T08:00:00Z"},
            "id": "00000000-0000-0000-0000-000000000001",
        }
    ]  # fmt: skip


def test_a_moment_with_a_time_zone_is_printed_in_utc(shop: Workshop) -> None:
    """Whatever the zone of the text and of the machine, a timestamp is shown in UTC."""
    assert printed(shop, "SELECT TIMESTAMPTZ '2027-01-15 08:00:00+02' AS t", "csv") == b"t\n2027-01-15T06:00:00Z\n"


def test_csv_is_read_back_by_any_reader() -> None:
    """A strict reader finds two records with every text whole; what a spreadsheet would run has an apostrophe in front."""
    text = (GOLDEN / "hard_types.csv").read_bytes().decode("utf-8")
    names, values = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = dict(zip(names, values, strict=True))
    assert (found["lines"], found["marks"], found["wide text"]) == ("one\ntwo\rthree", 'a|b \\ <i>"c", `d`', "漢字 é 😀")
    assert (found["formula"], found["nothing"], found["digits"]) == ("'=1+1", "", "-12345678901234567890123456789012345678")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_people_never_see_a_character_that_moves_their_terminal(form: str) -> None:
    """In a table every row is one line, and control and direction characters are shown as escapes."""
    text = (GOLDEN / f"hard_types.{form}").read_bytes().decode("utf-8")
    lines = text.split("\n")
    assert (len(lines), lines[-1]) == (4, "")
    assert all(line.isprintable() for line in lines)


def test_text_that_a_spreadsheet_would_run_is_defused(shop: Workshop) -> None:
    """In CSV, text and column names with a formula's first character get an apostrophe; numbers keep their sign."""
    signs = ["=", "+", "-", "@", "\t", "\r", "\n"]
    columns = ", ".join(f"""CHR({ord(sign)}) || 'x' AS "=name {number}" """ for number, sign in enumerate(signs))
    text = printed(shop, f"SELECT {columns}, -1 AS number, -1.5 AS decimal, 'x=' AS plain", "csv").decode()
    names, values = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert names == [*(f"'=name {number}" for number in range(len(signs))), "number", "decimal", "plain"]
    assert values == [*(f"'{sign}x" for sign in signs), "-1", "-1.5", "x="]


EMPTY: dict[str, Any] = {"json": [], "csv": "a,b\n", "table": "a  b\n-  -\n", "markdown": "| a | b |\n| --- | --- |\n"}


@pytest.mark.parametrize("form", EMPTY)
def test_no_rows_are_still_a_table(shop: Workshop, form: str) -> None:
    """Without rows the names are printed, and JSON is an empty list."""
    text = printed(shop, "SELECT 1 AS a, 'x' AS b WHERE FALSE", form).decode()
    assert (json.loads(text)["rows"] if form == "json" else text) == EMPTY[form]


def test_columns_of_one_name_keep_their_values(shop: Workshop) -> None:
    """A name that stands twice gets a number, so that no value is lost."""
    statement = "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a"
    document = json.loads(printed(shop, statement, "json"))
    assert len(set(document["columns"])) == 4
    assert [list(row.values()) for row in document["rows"]] == [[1, 2, 3, 4]]
    assert printed(shop, statement, "csv").splitlines()[1] == b"1,2,3,4"


def test_numbers_stand_to_the_right_and_wide_characters_count_as_two(shop: Workshop) -> None:
    """A table's columns line up on a terminal: CJK takes two cells, numbers are flush right, no blanks at the end."""
    statement = "SELECT * FROM (VALUES ('漢字', 7, NULL), ('abc', 12345, 1.5)) AS rows (name, n, x)"
    assert printed(shop, statement, "table").decode() == (
        "name      n    x\n"
        "----  -----  ---\n"
        "漢字      7\n"
        "abc   12345  1.5\n"
    )  # fmt: skip
