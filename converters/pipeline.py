"""The default passes, and `Pipeline`, which lets an embedder change them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .expressions.booleans import Booleans
from .expressions.calls import Calls, Texts
from .expressions.comparisons import Comparisons
from .expressions.iteration import Comprehensions, Displays, Unpacking
from .expressions.subscripts import Subscripts
from .passes.base import Pass
from .passes.control_flow import ControlFlow
from .passes.expressions import Expressions, Rewriter
from .passes.jumps import LowerJumps
from .passes.match import LowerMatch
from .passes.normalise import Normalise


class Operators(Expressions):
    """Rewrites each expression that a staged value may reach as an operator call."""

    follows: ClassVar = ("Normalise", "LowerMatch", "LowerJumps")
    rewriters: ClassVar = (
        Comparisons,
        Booleans,
        Comprehensions,
        Displays,
        Unpacking,
        Subscripts,
        Calls,
        Texts,
    )


PIPELINE: tuple[type[Pass], ...] = (Normalise, LowerMatch, LowerJumps, Operators, ControlFlow)
FEATURES: dict[str, type[Rewriter] | None] = {
    **{kind.__name__.lower(): kind for kind in Operators.rewriters},
    "control_flow": None,
    "lists": None,
}
"""Kinds of syntax that can be left unconverted, each with its rewriter.

`control_flow` has none, because passes convert it. `lists` are converted only for custom operators.
"""


class PipelineError(ValueError):
    """The passes cannot run in this order."""


@dataclass(frozen=True)
class Pipeline:
    """Named passes in the order in which they run.

    The passes in a pass's `needs` must run before it. Those in its `follows` must not run after it.

    >>> from autograph_rs.converters import Pipeline
    >>> Pipeline()
    Pipeline(Normalise, LowerMatch, LowerJumps, Operators, ControlFlow)
    >>> Pipeline().without("LowerMatch")
    Pipeline(Normalise, LowerJumps, Operators, ControlFlow)
    >>> Pipeline().without("LowerJumps")
    Traceback (most recent call last):
        ...
    autograph_rs.converters.pipeline.PipelineError: ControlFlow needs LowerJumps before it
    """

    steps: tuple[tuple[str, type[Pass]], ...] = tuple((kind.__name__, kind) for kind in PIPELINE)

    def __post_init__(self) -> None:
        kind: Any
        for _, kind in self.steps:
            if not (isinstance(kind, type) and issubclass(kind, Pass)):
                raise TypeError(f"a pass must be a subclass of Pass, not {kind!r}")
            if str in map(type, (kind.needs, kind.follows)):
                raise TypeError(f"needs and follows of {kind.__name__} must be tuples of names")
        seen: list[str] = []
        names = [name for name, _ in self.steps]
        for name, kind in self.steps:
            if name in seen:
                raise PipelineError(f"two passes are named {name}")
            for needed in kind.needs:
                if needed not in seen:
                    raise PipelineError(f"{name} needs {needed} before it")
            for followed in kind.follows:
                if followed in names and followed not in seen:
                    raise PipelineError(f"{name} must come after {followed}")
            seen.append(name)

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(name for name, _ in self.steps)})"

    @property
    def passes(self) -> tuple[type[Pass], ...]:
        return tuple(kind for _, kind in self.steps)

    def add(self, kind: type[Pass], *, before: str = "", after: str = "") -> Self:
        """Return a pipeline with a pass added before or after a named one, or at the end.

        Raises:
            PipelineError: no pass has that name, or the order would be invalid.
        """
        if before and after:
            raise PipelineError("pass either before or after, not both")
        index = len(self.steps)
        if before or after:
            index = self._index(before or after) + (1 if after else 0)
        return type(self)((*self.steps[:index], (getattr(kind, "__name__", ""), kind), *self.steps[index:]))

    def replace(self, name: str, kind: type[Pass]) -> Self:
        """Return a pipeline in which `kind` takes the place and name of the pass `name`.

        Raises:
            PipelineError: no pass has that name, or the order would be invalid.
        """
        index = self._index(name)
        return type(self)((*self.steps[:index], (name, kind), *self.steps[index + 1 :]))

    def without(self, *names: str) -> Self:
        """Return a pipeline without the named passes.

        Raises:
            PipelineError: no pass has that name, or another pass needs it.
        """
        for name in names:
            self._index(name)
        return type(self)(tuple(step for step in self.steps if step[0] not in names))

    def only(self, features: Collection[str]) -> Self:
        """Return a pipeline that converts only the given kinds of syntax.

        Raises:
            PipelineError: a feature is not in `FEATURES`.
            TypeError: `features` is not a collection.
        """
        if not isinstance(features, Collection):
            raise TypeError(f"features must be a set of names, not {features!r}")
        names = {features} if isinstance(features, str) else set(features)
        unknown = sorted(map(repr, names - FEATURES.keys()))
        if unknown:
            known = ", ".join(FEATURES)
            raise PipelineError(f"unknown feature {', '.join(unknown)}: the features are {known}")
        pipeline = self
        steps = dict(self.steps)
        if "control_flow" not in names:
            pipeline = self.without(*(steps.keys() & {"LowerMatch", "LowerJumps", "ControlFlow"}))
        operators = steps.get("Operators")
        rewriters = tuple(kind for name, kind in FEATURES.items() if kind is not None and name in names)
        if operators is None or rewriters == Operators.rewriters:
            return pipeline
        if not issubclass(operators, Operators):
            raise PipelineError(f"{operators.__name__} must be a subclass of Operators to select features")
        own = tuple(k for k in operators.rewriters if k in rewriters or k not in FEATURES.values())
        return pipeline.replace("Operators", type(operators.__name__, (operators,), {"rewriters": own}))

    def _index(self, name: str) -> int:
        names = [own for own, _ in self.steps]
        if name not in names:
            raise PipelineError(f"unknown pass {name}: the passes are {', '.join(names)}")
        return names.index(name)
