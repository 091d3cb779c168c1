"""`GradientTape`: differentiate the computations of a `with` block, inside a `function` or eagerly."""

from __future__ import annotations

from typing import Any, Self

from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import GradientError, OptionError, StateError, check_bool, describe
from autograph_rs.runtime.graph.gradient import (
    Recording,
    check_cotangent,
    is_differentiable,
    ones_like,
    type_of,
    with_own_node,
    zeros_like,
)
from autograph_rs.runtime.graph.state.taped_values import TapedValue, unwrap
from autograph_rs.runtime.graph.state.taping import current_session
from autograph_rs.runtime.graph.state.variables import Variable
from autograph_rs.runtime.graph.tracing import recording
from autograph_rs.runtime.graph.tracing.trace import is_tracing
from autograph_rs.runtime.values.structures import flatten, unflatten

from .arguments import as_numpy_scalar
from .eager_tape import Session


class GradientTape:
    """A context manager that records the computations in its block, so that they can be differentiated.

    Args:
        persistent: whether `gradient` may be called more than once.

    The tape watches `Variable`s automatically, with their values at the beginning of the block.

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

    Outside of a `function` the block runs as plain Python, on concrete values. The tape records operations
    on Variables and watched values there too, including calls to traced functions.

    >>> with ag.GradientTape() as tape:
    ...     loss = np.sum(w * w)
    >>> bool((tape.gradient(loss, w) == 2 * w.value).all())
    True
    """

    @api_boundary
    def __init__(self, persistent: bool = False):
        self.persistent = check_bool("persistent", persistent)
        self._recording: Recording | None = None
        self._session: Session | None = None
        self._number = 0
        self._is_used = self._is_open = False

    @classmethod
    def _opened(cls) -> Self:
        """Create a persistent tape and enter its block."""
        return cls(persistent=True).__enter__()

    def __enter__(self) -> Self:
        if self._is_open:
            raise StateError(
                "a GradientTape cannot be entered again inside its own 'with' block",
                why="a tape records one block at a time",
                remedy="create another tape for the inner block",
            )
        self._is_open = True
        self._recording = self._session = None
        self._is_used = False
        if is_tracing():
            self._recording = Recording()
        else:
            self._session = current_session() or Session()
            self._number = self._session.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False
        if self._session is not None:
            self._session.leave()

    def _check_recording(self) -> None:
        if self._recording is None and self._session is None:
            raise StateError(
                "a GradientTape cannot be used before its 'with' block",
                why="a tape records only the computations in its 'with' block",
                remedy="write 'with ag.GradientTape() as tape:' around the computation",
            )
        if (self._recording is None) == is_tracing():
            raise StateError(
                "this call to a GradientTape and the tape's 'with' block are not in the same traced function",
                why="a tape records either one trace or eager computations, not both",
                remedy="move the block and all calls to the tape into the same function",
            )

    @api_boundary
    def watch(self, value: Any) -> Any:
        """Return a value whose uses the tape records: the value itself if it is staged, otherwise a copy.

        The tape records operations on the returned value, but not on the plain value that you passed.

        Raises:
            GradientError: the value is not a float, a complex number or an array of these.

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
        self._check_recording()
        kind = type_of(unwrap(value))
        if not is_differentiable(kind):
            what = describe(value) if kind is None else f"a value of type {kind}"
            raise GradientError(
                f"a GradientTape cannot watch {what}",
                why="derivatives exist only with respect to floats and complex numbers",
                remedy="watch floats, as in x.astype(float)",
            )
        if self._session is not None:
            return self._session.watch(as_numpy_scalar(value))
        return value if recording.is_staged(value) else with_own_node(value)

    @api_boundary
    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none"
    ) -> Any:
        """Return the gradient of a target, or of the sum of several, with respect to sources.

        Args:
            target: a staged value, or a nested structure of them; the elements of an array are summed.
            sources: a `Variable` or staged value, or a nested structure of them.
            output_gradients: a cotangent for each target; ones by default.
            unconnected_gradients: the gradient for a source that the target does not depend on: "none" or
                "zero".

        Returns:
            Gradients in the structure of `sources`, each with the shape and dtype of its source. The gradient
            for a source that is not a float or complex number is None.

        Raises:
            StateError: `gradient` was called before and the tape is not persistent, or this call and the
                block of the tape are not in the same traced function.
            GradientError: an operation between a source and the target has no gradient, or the tape did not
                record the target or a source.
            OptionError: `unconnected_gradients` is neither "none" nor "zero".
        """
        self._check_recording()
        if unconnected_gradients not in ("none", "zero"):
            raise OptionError(
                f"unconnected_gradients must be 'none' or 'zero', not {describe(unconnected_gradients)}",
                why="it selects the gradient for a source that the target does not depend on",
                remedy="pass 'none' or 'zero'",
            )
        if self._is_used and not self.persistent:
            raise StateError(
                "GradientTape.gradient() was called a second time",
                why="the tape was created without persistent=True",
                remedy="create it with ag.GradientTape(persistent=True), or pass all sources in one call",
            )
        self._is_used = True
        targets, _ = flatten(target)
        leaves, spec = flatten(sources)
        for leaf in leaves:
            self._check_recorded(leaf, "with respect to")
        if self._session is not None:
            for leaf in targets:
                kind = type_of(unwrap(leaf))
                if kind is None or is_differentiable(kind):
                    self._check_recorded(leaf, "of")
            return self._session.gradient(
                self, self._number, target, sources, output_gradients, unconnected_gradients
            )
        assert self._recording is not None
        cotangents = [None] * len(targets) if output_gradients is None else flatten(output_gradients)[0]
        if len(cotangents) != len(targets):
            raise GradientError(
                f"{len(cotangents)} output_gradients were passed for {len(targets)} targets",
                why="each target needs one cotangent",
                remedy="pass output_gradients in the structure of the targets",
            )
        pairs = [
            (leaf, ones_like(leaf) if cotangent is None else check_cotangent(cotangent, leaf))
            for leaf, cotangent in zip(targets, cotangents, strict=True)
            if is_differentiable(type_of(leaf))
        ]
        gradients = self._recording.gradients(pairs, [self._recording.source(leaf) for leaf in leaves])
        if unconnected_gradients == "zero":
            gradients = [
                zeros_like(leaf) if g is None and is_differentiable(type_of(leaf)) else g
                for g, leaf in zip(gradients, leaves, strict=True)
            ]
        return unflatten(spec, gradients)

    def _check_recorded(self, value: Any, relation: str) -> None:
        if isinstance(value, Variable) or recording.is_staged(value):
            return
        if self._session is not None and type(value) is TapedValue and value.session is self._session:
            return
        raise GradientError(
            f"the tape cannot compute a gradient {relation} {describe(value)}, which it did not record",
            why="a tape records Variables, watched values, and the values that its block computes from them",
            remedy="watch the value in the block, and compute with the result: x = tape.watch(x)",
        )
