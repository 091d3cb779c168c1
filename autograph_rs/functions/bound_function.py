"""A `Function` bound to an instance as a method."""

from __future__ import annotations

import inspect
from typing import Any, Generic

from autograph_rs.runtime.debugging.tracebacks import (
    add_unconverted_notes,
    api_boundary,
    strip_internal_frames,
)
from autograph_rs.runtime.graph.tracing.specs import Identity

from .concrete_function import ConcreteFunction
from .fast_path import Args, Kwargs, P, R_co, ResolvedCall


class BoundFunction(Generic[P, R_co]):
    """A `Function` bound to an instance. Each instance has its own traces."""

    def __init__(self, function: Any, instance: Any):
        self.__func__, self.__self__, self.__doc__ = function, instance, function.__doc__

    @property
    def __signature__(self) -> inspect.Signature | None:
        return self.__func__.signature_of((self.__self__,))  # type: ignore[no-any-return]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        try:
            return self.__func__.call_bound((self.__self__,), args, kwargs, None)  # type: ignore[no-any-return]
        except BaseException as error:
            add_unconverted_notes(error)
            strip_internal_frames(error)
            raise

    @api_boundary
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the method's trace for these arguments; see `Function.get_concrete_function`."""
        return self.__func__.concrete_function_for((self.__self__,), args, kwargs)  # type: ignore[no-any-return]

    def resolve_call(self, args: Args, kwargs: Kwargs) -> ResolvedCall:
        """Return the leaves, the arguments and the trace of a call; see `Function.resolve_call`."""
        return self.__func__.resolve_call(args, kwargs, (self.__self__,))  # type: ignore[no-any-return]

    def traces(self) -> list[ConcreteFunction]:
        """Return the traces for this instance, oldest first."""
        instance = (Identity(self.__self__),)
        return [concrete for bound, concrete in self.__func__.bound_traces() if bound == instance]

    def pretty_printed_concrete_signatures(self) -> str:
        """Return the signature of each trace for this instance, one per line."""
        return "\n".join(map(repr, self.traces()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundFunction):
            return NotImplemented
        return self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __reduce__(self) -> Any:
        return BoundFunction, (self.__func__, self.__self__)

    def __repr__(self) -> str:
        return f"<bound Function {self.__func__.__qualname__} of {self.__self__!r}>"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)
