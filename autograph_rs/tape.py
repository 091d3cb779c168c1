"""`GradientTape`: gradients of what a block of code computes, inside of a `function`."""

from __future__ import annotations

from typing import Any, Self

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import GradientError, OptionError, StateError, told
from autograph_rs.runtime.graph import record
from autograph_rs.runtime.graph.gradient import (
    Recording,
    apart,
    is_differentiable,
    of_shape,
    ones_like,
    zeros_like,
)
from autograph_rs.runtime.graph.trace import is_tracing, scalar_type
from autograph_rs.runtime.graph.variables import Variable
from autograph_rs.runtime.structures import flatten, unflatten

UNCONNECTED = ("none", "zero")


class GradientTape:
    """What is computed in its `with` block, inside of a `function`, can be differentiated.

    Args:
        persistent: whether `gradient` may be called more than once.

    Raises:
        GradientError: it is entered outside of a `function`; or see `gradient`.

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
    """

    @public
    def __init__(self, persistent: bool = False):
        self.persistent = persistent
        self._recording: Recording | None = None
        self._is_used = False

    def __enter__(self) -> Self:
        if not is_tracing():
            raise GradientError(
                "a GradientTape is entered outside of a function",
                why="it differentiates what is recorded in a graph, and plain NumPy records nothing",
                remedy="put the step under @ag.function, or use ag.grad or ag.vjp",
            )
        self._recording = Recording()
        self._is_used = False
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def _begun(self) -> Recording:
        if self._recording is None:
            raise StateError(
                "a GradientTape is asked before its block",
                why="it knows what is computed in its 'with' block",
                remedy="write 'with ag.GradientTape() as tape:' around the computation",
            )
        return self._recording

    @public
    def watch(self, value: Any) -> Any:
        """A value for which gradients can be asked: a staged one as it is, or one of a plain number or array.

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
        self._begun()
        _checked(value)
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
            StateError: it was called before, and the tape is not persistent.
            GradientError: the target depends on a source by what has no gradient.
            OptionError: `unconnected_gradients` is neither "none" nor "zero".
        """
        recording = self._begun()
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
            if is_differentiable(_type_of(end))
        ]
        nodes = [recording.source(leaf) for leaf in leaves]
        found = recording.gradients(ends, nodes)
        if unconnected_gradients == "zero":
            found = [
                zeros_like(leaf) if g is None and is_differentiable(_type_of(leaf)) else g
                for g, leaf in zip(found, leaves, strict=True)
            ]
        return unflatten(spec, found)


def _type_of(value: Any) -> Any:
    return value.type if isinstance(value, Variable) or record.is_staged(value) else scalar_type(value)


def _checked(value: Any) -> None:
    kind = _type_of(value)
    if kind is None or not is_differentiable(kind):
        raise GradientError(
            f"a GradientTape is to watch {told(value) if kind is None else f'a value of type {kind}'}",
            why="a derivative is a limit of small changes, which only floats and complex numbers can have",
            remedy="watch floats, as in x.astype(float)",
        )
