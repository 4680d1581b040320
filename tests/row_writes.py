"""Finds, in the text of a module, what writes rows that only the ledger may write."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)

# What the ledger writes, under every name that the models go by.
LEDGERS = {
    "Attachment",
    "Attempt",
    "HumanRequest",
    "InfoRequest",
    "JournalEntry",
    "Message",
    "Question",
    "Task",
}
# What writes rows: verbs of managers, of querysets and of rows.
WRITES = re.compile(
    "a?(save|delete|update|create|bulk_create|bulk_update|get_or_create"
    "|update_or_create)|save_base"
)


def writes(text: str) -> list[str]:
    """Calls that write rows of the ledger's models.

    Each starts at a model, at a name that holds its rows or querysets, or at a function
    that returns them, and ends in a verb that writes.
    """
    tree = ast.parse(text)
    functions = list(_functions(tree))
    known = LEDGERS | {node.name for node in functions if _returns_rows(node)}
    outside = [node for node in tree.body if node not in functions]
    known = _names_in(outside, known)
    parts = [outside, *([function] for function in functions)]
    return [found for part in parts for found in _writes_in(part, known)]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _returns_rows(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    known = _names_in([function], LEDGERS)
    returned = (n.value for n in ast.walk(function) if isinstance(n, ast.Return))
    return any(value and _root(value) in known for value in returned)


def _writes_in(body: Iterable[ast.stmt], everywhere: set[str]) -> list[str]:
    known = _names_in(body, everywhere)
    return [
        ast.unparse(call.func)
        for call in _all(body, ast.Call)
        if isinstance(call.func, ast.Attribute)
        and WRITES.fullmatch(call.func.attr)
        and _root(call.func.value) in known
    ]


def _names_in(body: Iterable[ast.stmt], known: set[str]) -> set[str]:
    """The known names and those that get their value, or their type, from one."""
    before: set[str] = set()
    while before != known:
        before = known
        known = known | {
            target.id
            for bound, value in _bindings(body)
            if _root(value) in known
            for target in ast.walk(bound)
            if isinstance(target, ast.Name)
        }
        known |= {
            argument.arg
            for argument in _all(body, ast.arg)
            if argument.annotation and _names(argument.annotation) & LEDGERS
        }
    return known


def _bindings(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.AST, ast.AST]]:
    for node in _all(body, ast.AST):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.AST() as value):
                yield target, value
            case ast.NamedExpr(target=target, value=value):
                yield target, value
            case ast.For(target=target, iter=value):
                yield target, value
            case ast.comprehension(target=target, iter=value):
                yield target, value


def _root(node: ast.AST) -> str:
    """`a` for `a.b(c)[d].e`; empty where there is no name."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=inner) | ast.Await(value=inner):
                node = inner
            case _:
                return ""
    return node.id


def _names(annotation: ast.expr) -> set[str]:
    return set(re.findall(r"\w+", ast.unparse(annotation)))


def _all(body: Iterable[ast.stmt], kind: type[Node]) -> Iterator[Node]:
    for statement in body:
        yield from (node for node in ast.walk(statement) if isinstance(node, kind))
