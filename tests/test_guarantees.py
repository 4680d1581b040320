"""docs/guarantees.md names a test for each promise, and each of them exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/guarantees.md").read_text()
# Number → the tests of its row.
ROWS = {
    row[1]: re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[0])
    for row in re.finditer(r"^\| (G\d\d) \|.*$", TEXT, re.MULTILINE)
}
# What the first version set out to hold.
WANTED = {
    *("G01", "G02", "G03", "G04", "G05", "G06", "G07", "G08"),
    *("G10", "G11", "G12", "G13", "G14", "G17"),
    *("G20", "G22", "G23", "G25", "G26", "G27"),
    *("G40", "G41", "G46"),
    *("G50", "G51", "G52", "G54", "G55", "G56", "G57", "G58", "G60"),
}


def names_in(path: str) -> set[str]:
    """The tests, and classes of tests, of a module."""
    tree = ast.parse((ROOT / path).read_text())
    made = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    } | {ast.unparse(target) for node in made for target in node.targets}


def test_it_has_a_row_for_everything_it_set_out_to_hold() -> None:
    assert set(ROWS) >= WANTED


def test_it_uses_a_number_once() -> None:
    numbers = re.findall(r"^\| (G\d\d) \|", TEXT, re.MULTILINE)
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("number", sorted(ROWS))
def test_its_tests_exist(number: str) -> None:
    assert ROWS[number], "a promise that nothing shows"
    for path, name in ROWS[number]:
        assert name.startswith(("test_", "Test"))
        assert name in names_in(path), f"{path}::{name}"


def test_it_counts_every_test_that_it_names() -> None:
    """None escapes the pattern above."""
    assert TEXT.count("::") == sum(map(len, ROWS.values()))
