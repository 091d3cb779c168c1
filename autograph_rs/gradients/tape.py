"""`GradientTape`: gradients of what a block of code computes, inside of a `function` and outside."""

from __future__ import annotations

from typing import Any, Self

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import GradientError, OptionError, StateError, checked_truth, told
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.gradient import (
    Recording,
    apart,
    is_differentiable,
    of_shape,
    ones_like,
    type_of,
    zeros_like,
)
from autograph_rs.runtime.graph.taping import session
from autograph_rs.runtime.graph.trace import is_tracing
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten, unflatten

from .session import Session
from .taped import Taped, untaped
from .values import staged_number

UNCONNECTED = ("none", "zero")


class GradientTape:
    """What is computed in its `with` block can be differentiated.

    Args:
        persistent: whether `gradient` may be called more than once.

    `Variable`s are watched by themselves, with the value that they have when the block begins.

    >>> import autograph_rs as ag, numpy as np
    >>> w = ag.Variable([1.0, 2.0])
    >>> @ag.function
    ... def step(x, target):
    ...     with ag.GradientTape() as tape:
    ...         loss = np.sum((w * x - target) ** 2)
    ...     w.assign_sub(0.1 * tape.gradient(loss, w))
    ...     return loss
    >>> losses = [float(step(np.array([1.0, 0.5]), np.array([2.0, 3.0]))) for _ in range(5)]
    >>> losses == sorted(losses, reverse=True)
    True

    Outside of a `function` what is computed of Variables and of what is watched is recorded too, calls of
    functions included; there the block runs as plain Python, and its values know their contents.

    >>> with ag.GradientTape() as tape:
    ...     loss = np.sum(w * w)
    >>> bool((tape.gradient(loss, w) == 2 * w.value).all())
    True
    """

    @public
    def __init__(self, persistent: bool = False):
        self.persistent = checked_truth("persistent", persistent)
        self._recording: Recording | None = None
        self._session: Session | None = None
        self._number = 0
        self._is_used = self._is_open = False

    @classmethod
    def _begun(cls) -> Self:
        """One whose block begins here."""
        return cls(persistent=True).__enter__()

    def __enter__(self) -> Self:
        if self._is_open:
            raise StateError(
                "a GradientTape is entered in its own block",
                why="a tape records one block at a time",
                remedy="make another tape for the inner block",
            )
        self._is_open = True
        self._recording = self._session = None
        self._is_used = False
        if is_tracing():
            self._recording = Recording()
        else:
            self._session = session() or Session()
            self._number = self._session.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False
        if self._session is not None:
            self._session.leave()

    def _check_begun(self) -> None:
        if self._recording is None and self._session is None:
            raise StateError(
                "a GradientTape is asked before its block",
                why="it knows what is computed in its 'with' block",
                remedy="write 'with ag.GradientTape() as tape:' around the computation",
            )
        if (self._recording is None) == is_tracing():
            raise StateError(
                "a GradientTape is asked in a function, and its block is outside, or the other way round",
                why="what is recorded in a graph is there only while that is made",
                remedy="put the block and the call of gradient() into the same function",
            )

    @public
    def watch(self, value: Any) -> Any:
        """A value for which gradients can be asked: a staged one as it is, or one of a plain number or array.

        What is computed of the value that is returned counts, not what is computed of the plain one.

        Raises:
            GradientError: it is neither a float, a complex number nor an array of these.

        >>> import autograph_rs as ag, numpy as np
        >>> @ag.function
        ... def slope(x):
        ...     with ag.GradientTape() as tape:
        ...         scale = tape.watch(3.0)
        ...         y = np.sum(scale * x * x)
        ...     return tape.gradient(y, [x, scale])
        >>> slope(np.array([1.0, 2.0]))
        [array([ 6., 12.]), 5.0]
        """
        self._check_begun()
        _checked(value)
        if self._session is not None:
            return self._session.watch(staged_number(value))
        return value if record.is_staged(value) else apart(value)

    @public
    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none"
    ) -> Any:
        """The gradient of a target, or of the sum of several, with respect to sources.

        Args:
            target: a staged value, or a nested structure of them; of an array, the sum.
            sources: a `Variable` or staged value, or a nested structure of them.
            output_gradients: a cotangent for each target, in the place of ones.
            unconnected_gradients: what a source has that the target does not depend on: "none" or "zero".

        Returns:
            Gradients in the structure of `sources`, each of the shape and dtype of its source; None for one
            that is neither a float nor a complex number.

        Raises:
            StateError: it was called before, and the tape is not persistent; or the block is in a function,
                and the call outside.
            GradientError: the target depends on a source by what has no gradient, or the tape does not know
                one of both.
            OptionError: `unconnected_gradients` is neither "none" nor "zero".
        """
        self._check_begun()
        if unconnected_gradients not in UNCONNECTED:
            raise OptionError(
                f"unconnected_gradients is {told(unconnected_gradients)}",
                why="it says what stands for a gradient that there is not",
                remedy="give 'none' or 'zero'",
            )
        if self._is_used and not self.persistent:
            raise StateError(
                "gradient() of a GradientTape is called a second time",
                why="it was made without persistent=True",
                remedy="make it by ag.GradientTape(persistent=True), or ask for all sources in one call",
            )
        self._is_used = True
        targets, _ = flatten(target)
        leaves, spec = flatten(sources)
        for leaf in leaves:
            self._check_source(leaf)
        if self._session is not None:
            for end in targets:
                kind = type_of(untaped(end))
                if kind is None or is_differentiable(kind):
                    self._check_source(end, "of")
            return self._session.gradient(
                self, self._number, target, sources, output_gradients, unconnected_gradients
            )
        assert self._recording is not None
        given = [None] * len(targets) if output_gradients is None else flatten(output_gradients)[0]
        if len(given) != len(targets):
            raise GradientError(
                f"{len(given)} output_gradients are given for {len(targets)} targets",
                why="each stands for one of the targets",
                remedy="give them in the structure of the targets",
            )
        ends = [
            (end, ones_like(end) if cotangent is None else of_shape(cotangent, end))
            for end, cotangent in zip(targets, given, strict=True)
            if is_differentiable(type_of(end))
        ]
        nodes = [self._recording.source(leaf) for leaf in leaves]
        found = self._recording.gradients(ends, nodes)
        if unconnected_gradients == "zero":
            found = [
                zeros_like(leaf) if g is None and is_differentiable(type_of(leaf)) else g
                for g, leaf in zip(found, leaves, strict=True)
            ]
        return unflatten(spec, found)

    def _check_source(self, value: Any, asked: str = "with respect to") -> None:
        if isinstance(value, Variable) or record.is_staged(value):
            return
        if self._session is not None and type(value) is Taped and value.owner is self._session:
            return
        raise GradientError(
            f"a gradient is asked {asked} {told(value)}, which the tape does not know",
            why="it knows Variables, and what its block computes of them and of what it watches",
            remedy="let the tape watch it in the block, and go on with what that returns: x = tape.watch(x)",
        )


def _checked(value: Any) -> None:
    kind = type_of(untaped(value))
    if not is_differentiable(kind):
        raise GradientError(
            f"a GradientTape is to watch {told(value) if kind is None else f'a value of type {kind}'}",
            why="a derivative is a limit of small changes, which only floats and complex numbers can have",
            remedy="watch floats, as in x.astype(float)",
        )
