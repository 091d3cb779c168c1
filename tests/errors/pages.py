"""Generate the pages of `docs/errors/` from the docstrings of the error classes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import autograph_rs as ag

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "errors"
INDEX = """\
# Errors

Every error class derives from `AutographError` and from the matching builtin exception, so `except TypeError`
works as usual. A message says what happened, where in your code, why, and how to fix it. Each part is also
an attribute: `error.place`, `error.sites`, `error.rows`, `error.why`, `error.remedy`. Exceptions from your
own code pass through converted code unchanged.

Tracebacks show your frames only. Set `AUTOGRAPH_RS_TRACEBACK=full` in the environment to see all frames.

| error | also a | meaning |
|---|---|---|
"""


def errors() -> list[type[ag.AutographError]]:
    """Return all error classes, sorted by name."""
    found = (getattr(ag, name) for name in ag.__all__)
    return sorted(
        (c for c in found if isinstance(c, type) and issubclass(c, ag.AutographError)),
        key=lambda c: c.__name__,
    )


def pages() -> dict[str, str]:
    """Return the text of each page by file name."""
    rows = "".join(
        f"| [`{c.__name__}`]({c.__name__}.md) | {builtin_of(c)} | {_cell(_summary(c))} |\n" for c in errors()
    )
    return {"index.md": INDEX + rows, **{f"{c.__name__}.md": page(c) for c in errors()}}


def page(kind: type[ag.AutographError]) -> str:
    """Return the page of an error class."""
    text = inspect.getdoc(kind) or ""
    summary, _, rest = text.partition("\n\n")
    bases = [f"[`{c.__name__}`]({c.__name__}.md)" for c in kind.__bases__ if issubclass(c, ag.AutographError)]
    bases += [f"`{c.__name__}`" for c in kind.__bases__ if not issubclass(c, ag.AutographError)]
    derived = [f"[`{c.__name__}`]({c.__name__}.md)" for c in errors() if kind in c.__bases__]
    lines = [f"# {kind.__name__}", summary, f"Bases: {', '.join(bases)}"]
    if derived:
        lines.append(f"Subclasses: {', '.join(derived)}")
    return "\n\n".join([*lines, *_blocks(rest)]) + "\n"


def _blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring, with examples in fences."""
    for paragraph in re.split(r"\n{2,}", text.strip("\n")):
        if paragraph.startswith(">>>"):
            yield f"```python\n{paragraph}\n```"
        elif paragraph.startswith("Args:"):
            described = re.sub(r"\n +(\w+): ", r"\n- `\1`: ", paragraph.removeprefix("Args:"))
            yield re.sub(r"\n {2,}(?=\S)", " ", described).strip()
        else:
            yield paragraph


def builtin_of(kind: type[ag.AutographError]) -> str:
    """Return the builtin exceptions that a class derives from."""
    own = [c for c in kind.__mro__ if c.__module__ == "builtins"]
    most = [c for c in own if not any(c is not d and issubclass(d, c) for d in own)]
    return ", ".join(f"`{c.__name__}`" for c in most)


def _summary(kind: type) -> str:
    return (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
