"""How a program is drawn: a `Writer` turns hypothesis's choices into lines of text.

Every choice is a small integer whose simplest value is 0, and options are listed from the simplest
on. Each statement is drawn as a strategy of its own, so that hypothesis can shrink a program by
leaving whole statements out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

BELOW = [st.integers(0, max(n - 1, 0)) for n in range(256)]


class Writer:
    """Lines that are being written, and the choices that decide them."""

    def __init__(self, draw: Callable[[Any], Any], *, statements: int):
        self.draw = draw
        self.lines: list[str] = []
        self.depth = 0
        self.left = statements
        self._numbers = 0

    # Choices

    def below(self, n: int) -> int:
        return self.draw(BELOW[n])

    def once_in(self, n: int) -> bool:
        return self.below(n) == n - 1

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def number(self) -> int:
        """Another number each time, for names and labels."""
        self._numbers += 1
        return self._numbers

    # Lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextlib.contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def statements(self, one: Callable[..., Any], *arguments: Any, most: int = 4) -> None:
        """One statement or some, as far as there are statements left to be written."""
        for _ in range(most):
            if not self.draw(_statement(self, one, arguments)):
                return

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@st.composite
def _statement(draw: Any, writer: Writer, one: Callable[..., Any], arguments: tuple) -> bool:
    """Write one statement; whether another follows."""
    if writer.left <= 0:
        return False
    writer.left -= 1
    one(writer, *arguments)
    return writer.left > 0 and draw(BELOW[8]) > 2
