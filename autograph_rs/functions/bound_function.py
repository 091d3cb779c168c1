"""A `Function` as a method of an instance."""

from __future__ import annotations

import inspect
from typing import Any

from autograph_rs.runtime.graph.specs import Identity
from autograph_rs.runtime.left import annotate
from autograph_rs.runtime.tracebacks import strip

from .concrete import ConcreteFunction


class BoundFunction:
    """A `Function` as a method of an instance: each instance has traces of its own."""

    def __init__(self, function: Any, instance: Any):
        self.__func__, self.__self__, self.__doc__ = function, instance, function.__doc__

    @property
    def __signature__(self) -> inspect.Signature | None:
        made: inspect.Signature | None = self.__func__.signature_of((self.__self__,))
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.__func__.call_bound((self.__self__,), args, kwargs, None)
        except BaseException as error:
            annotate(error)
            strip(error)
            raise

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments of the method; see `Function.get_concrete_function`."""
        try:
            made: ConcreteFunction = self.__func__.concrete_bound((self.__self__,), args, kwargs)
        except BaseException as error:
            strip(error)
            raise
        return made

    def traces(self) -> list[ConcreteFunction]:
        """The traces for this instance so far, oldest first."""
        own = (Identity(self.__self__),)
        return [concrete for owner, concrete in self.__func__.owned_traces() if owner == own]

    def pretty_printed_concrete_signatures(self) -> str:
        """Every trace for this instance in a line."""
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
