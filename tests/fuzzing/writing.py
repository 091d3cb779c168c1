"""Generate programs: a `Writer` turns bytes chosen by hypothesis into lines of text.

Every choice takes one byte; 0 is the simplest choice, and what is left to choose when the bytes have
run out. Each statement has bytes of its own, so that the choices of one do not depend on how many the
statement before it took: hypothesis shrinks a program by setting bytes to 0.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

EACH = 28  # bytes for each statement


class Writer:
    """Lines that are being written, and the choices that decide them."""

    def __init__(self, choices: bytes):
        self.choices = choices
        self.lines: list[str] = []
        self.depth = 0
        self.left = len(choices) // EACH - 1  # statements that can still be written
        self._at, self._end = 0, EACH
        self._numbers = 0

    # Choices

    def below(self, n: int) -> int:
        if self._at >= self._end:
            return 0
        self._at += 1
        return self.choices[self._at - 1] % n

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

    def statements(self, one: Callable[..., Any], *arguments: Any, most: int) -> None:
        """One statement or some, as far as there are statements left to be written."""
        for _ in range(most):
            if self.left <= 0:
                return
            outer = self._at, self._end
            self._end = len(self.choices) - EACH * (self.left - 1)
            self._at = self._end - EACH
            self.left -= 1
            more = self.below(8)
            one(self, *arguments)
            self._at, self._end = outer
            if more < 2:
                return

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def programs(write: Callable[[Writer], None], statements: int) -> st.SearchStrategy[str]:
    """The texts that `write` writes, of at most so many statements."""

    def text(choices: bytes) -> str:
        writer = Writer(choices)
        write(writer)
        return writer.text()

    size = EACH * (statements + 1)
    return st.binary(min_size=size, max_size=size).map(text)
