"""The passes, in the order in which they run."""

from typing import ClassVar

from .base import Context, Pass
from .booleans import Booleans, Comparisons
from .calls import Calls
from .comprehensions import Comprehensions
from .control_flow import ControlFlow
from .expressions import Expressions, Rewriter
from .jumps import LowerJumps
from .lists import Lists
from .match import LowerMatch
from .normalise import Normalise, mangle
from .subscripts import Subscripts
from .texts import Texts
from .unpacking import Unpacking


class Operators(Expressions):
    """Every expression that may meet a staged value, as an operator call."""

    follows: ClassVar = ("Normalise", "LowerMatch", "LowerJumps")
    rewriters: ClassVar = (Comparisons, Booleans, Comprehensions, Unpacking, Subscripts, Calls, Texts)


PIPELINE: tuple[type[Pass], ...] = (Normalise, LowerMatch, LowerJumps, Operators, ControlFlow)
FEATURES: dict[str, type[Rewriter] | None] = {
    **{kind.__name__.lower(): kind for kind in Operators.rewriters},
    "control_flow": None,
    "lists": None,
}
"""Kinds of syntax that can be left as they are, each with its rewriter; control flow has passes, and lists
are converted for operators of their own only."""

__all__ = ["FEATURES", "PIPELINE", "Context", "Lists", "Operators", "Pass", "Rewriter", "mangle"]
