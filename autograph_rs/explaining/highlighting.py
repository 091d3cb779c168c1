"""Highlight Python code as HTML, line by line."""

from __future__ import annotations

import html
import io
import keyword
import token
import tokenize
from collections.abc import Iterator, Sequence

_KINDS = {token.NUMBER: "number-literal", token.STRING: "string", tokenize.COMMENT: "comment"}
_KINDS |= {getattr(token, name): "string" for name in dir(token) if name.startswith(("FSTRING_", "TSTRING_"))}


def highlight(lines: Sequence[str]) -> list[str]:
    """Return the lines with a `span` around each keyword, string, number and comment.

    If Python cannot tokenize the lines, because they are only part of a statement, nothing is highlighted.

    >>> highlight(["return 1 < x"])
    ['<span class="keyword">return</span> <span class="number-literal">1</span> &lt; x']
    """
    parts: list[list[tuple[int, int, str]]] = [[] for _ in lines]
    try:
        for kind, (row, column), (end_row, end_column) in _tokens(lines):
            for number in range(row, end_row + 1):
                start = column if number == row else 0
                end = end_column if number == end_row else len(lines[number - 1])
                parts[number - 1].append((start, end, kind))
    except (tokenize.TokenError, SyntaxError, IndexError):
        parts = [[] for _ in lines]
    return ["".join(_mark_up(line, spans)) for line, spans in zip(lines, parts, strict=True)]


def _tokens(lines: Sequence[str]) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    for item in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        kind = _KINDS.get(item.type, "")
        if item.type == token.NAME and keyword.iskeyword(item.string):
            kind = "keyword"
        elif item.string == "ag__":
            kind = "operator"
        if kind:
            yield kind, item.start, item.end


def _mark_up(line: str, parts: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    last = 0
    for start, end, kind in parts:
        yield html.escape(line[last:start])
        yield f'<span class="{kind}">{html.escape(line[start:end])}</span>'
        last = end
    yield html.escape(line[last:])
