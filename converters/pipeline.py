"""The passes of a conversion, by name and in their order, which an embedder may change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Self

from .passes import FEATURES, PIPELINE, Operators, Pass


class PipelineError(ValueError):
    """Passes that cannot run in this order."""


@dataclass(frozen=True)
class Pipeline:
    """Passes by name, in the order in which they run.

    A pass says in `needs` what must have run before it, and in `follows` what it must not come before.

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
                raise TypeError(f"a pass is a subclass of Pass, not {kind!r}")
            asked: tuple[Any, ...] = (kind.needs, kind.follows)
            if any(isinstance(names, str) for names in asked):
                raise TypeError(f"what {kind.__name__} needs and follows are tuples of names")
        before: list[str] = []
        names = [name for name, _ in self.steps]
        for name, kind in self.steps:
            if name in before:
                raise PipelineError(f"there are two passes of the name {name}")
            for needed in kind.needs:
                if needed not in before:
                    raise PipelineError(f"{name} needs {needed} before it")
            for followed in kind.follows:
                if followed in names and followed not in before:
                    raise PipelineError(f"{name} has to come after {followed}")
            before.append(name)

    def __repr__(self) -> str:
        return f"Pipeline({', '.join(name for name, _ in self.steps)})"

    @property
    def passes(self) -> tuple[type[Pass], ...]:
        return tuple(kind for _, kind in self.steps)

    def add(self, kind: type[Pass], *, before: str = "", after: str = "") -> Self:
        """One pass more, before or after another; at the end where neither is said.

        Raises:
            PipelineError: there is no pass of that name, or a pass would not have what it needs.
        """
        if before and after:
            raise PipelineError("say what a pass comes before, or what it comes after, not both")
        place = len(self.steps)
        if before or after:
            place = self._place(before or after) + (1 if after else 0)
        return type(self)((*self.steps[:place], (getattr(kind, "__name__", ""), kind), *self.steps[place:]))

    def replace(self, name: str, kind: type[Pass]) -> Self:
        """Another pass in the place, and under the name, of one.

        Raises:
            PipelineError: there is no pass of that name, or a pass would not have what it needs.
        """
        place = self._place(name)
        return type(self)((*self.steps[:place], (name, kind), *self.steps[place + 1 :]))

    def without(self, *names: str) -> Self:
        """The pipeline without some passes.

        Raises:
            PipelineError: there is no pass of that name, or another needs it.
        """
        for name in names:
            self._place(name)
        return type(self)(tuple(step for step in self.steps if step[0] not in names))

    def only(self, features: Collection[str]) -> Self:
        """The pipeline that converts some kinds of syntax and leaves the others as they are.

        Raises:
            PipelineError: a feature is none of `FEATURES`.
            TypeError: they are no collection.
        """
        if not isinstance(features, Collection):
            raise TypeError(f"features are a set of names, not {features!r}")
        names = {features} if isinstance(features, str) else set(features)
        unknown = sorted(map(repr, names - FEATURES.keys()))
        if unknown:
            raise PipelineError(f"there is no feature {', '.join(unknown)}: there are {', '.join(FEATURES)}")
        made = self
        steps = dict(self.steps)
        if "control_flow" not in names:
            made = made.without(*(n for n in ("LowerMatch", "LowerJumps", "ControlFlow") if n in steps))
        operators = steps.get("Operators")
        rewriters = tuple(kind for name, kind in FEATURES.items() if kind is not None and name in names)
        if operators is None or rewriters == Operators.rewriters:
            return made
        if not issubclass(operators, Operators):
            raise PipelineError(
                f"{operators.__name__} stands for Operators, and has no features to choose from"
            )
        own = tuple(
            kind for kind in operators.rewriters if kind in rewriters or kind not in FEATURES.values()
        )
        return made.replace("Operators", type(operators.__name__, (operators,), {"rewriters": own}))

    def _place(self, name: str) -> int:
        for place, (own, _) in enumerate(self.steps):
            if own == name:
                return place
        raise PipelineError(f"there is no pass {name}: there are {', '.join(own for own, _ in self.steps)}")
