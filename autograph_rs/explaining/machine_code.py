"""Which loops of a traced function may become machine code. Nothing is compiled or timed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autograph_rs.runtime.graph.ir.graph import Graph
from autograph_rs.runtime.graph.native.report import forecast

from .statements import Statement

COMPILING_ENGINES = ("auto", "native")


def with_machine_code(
    statements: tuple[Statement, ...], graph: Graph, file: str, engine: str
) -> tuple[Statement, ...]:
    """Return the statements, with the field `machine_code` of those that became loops of the graph.

    `file` contains the statements; `engine` is the option of `function`.
    """
    if engine not in COMPILING_ENGINES:
        return statements
    texts: dict[int, dict[str, None]] = {}  # by the index of a statement; keys only
    for node, reason in forecast(graph):
        for place in node.places[-1:]:
            index = _index_of(statements, place.line) if place.file == file else None
            if index is not None:
                texts.setdefault(index, {})[_sentence(reason)] = None
    return tuple([
        replace(s, machine_code="; ".join(texts[i])) if i in texts else s for i, s in enumerate(statements)
    ])  # fmt: skip


def _index_of(statements: Iterable[Statement], line: int) -> int | None:
    return next((i for i, s in enumerate(statements) if s.line == line), None)


def _sentence(reason: str) -> str:
    return f"stays in Python: {reason}" if reason else "may be compiled to machine code"
