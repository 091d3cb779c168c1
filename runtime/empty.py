"""The closures of a statement that changes nothing, or of a branch that does nothing."""

from __future__ import annotations


def get_nothing() -> tuple[()]:
    """The state of a statement that changes nothing."""
    return ()


def set_nothing(values: tuple) -> None:
    """Sets the state of a statement without variables."""


def nothing() -> None:
    """The branch that does nothing."""
