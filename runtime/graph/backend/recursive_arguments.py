"""The arguments of a recursive function: which of them are staged, and with which types."""

from __future__ import annotations

import inspect
import operator
import types
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.undefined import Undefined
from ...errors.recursion import refusal
from ...staging.recursion import free_variables, rebound_names
from ...staging.state.missing_values import Value, unified
from ...staging.state.statement import is_same
from ...values.structures import LEAF, Spec, flatten
from ..ir.type_merging import merge_types
from ..ir.types import StagedType, constant_type
from ..tracing.tensor import Staged


class Retrace(BaseException):
    """End a trace of a recursive function whose arguments have a more general type than was assumed."""

    def __init__(self, recursion: Arguments, changed: dict[Any, Any] | None = None):
        self.recursion = recursion
        self.changed = changed or {}
        """The outer values before the call that are not those of the assumption."""


@dataclass(frozen=True)
class _Known:
    """An argument of a call, and its type if it is staged."""

    leaf: Any
    kind: StagedType | None


class Arguments:
    """The arguments of a recursive function, of its first call at first, and then of all calls."""

    def __init__(
        self, backend: Any, called: types.FunctionType, variables: dict[str, Any], args: Any, kwargs: Any
    ):
        self.backend, self.function, self.code = backend, called, called.__code__
        self._signature = inspect.signature(called)
        parameters = self._parameters = self._bind(args, kwargs)
        self._fixed = {id(v) for name, v in parameters.items() if variables.get(name) is v}
        missing = object()
        known = {name: variables.get(name, missing) for name in parameters}
        self._lists = {name for name, v in parameters.items() if _differ_in_length(v, known[name])}
        """The parameters whose arguments are lists of another length in each call."""
        self.leaves, self.spec = self._flatten(parameters)
        earlier, earlier_spec = self._flatten(known)
        rebound = rebound_names(self.code)
        self.varies = earlier_spec != self.spec
        if self.varies and (both := self._unified((earlier, earlier_spec), (self.leaves, self.spec))):
            (earlier, earlier_spec), (self.leaves, self.spec) = both
        owners = [n for n, part in zip(parameters, self.spec.parts, strict=True) for _ in range(_count(part))]
        self.kinds: list[Any] = [  # the type of each staged leaf, and None for each plain one
            self._type_of(leaf) if isinstance(leaf, Staged) else None for leaf in self.leaves
        ]
        self.can_stage = earlier_spec == self.spec
        for i, before in enumerate(earlier if self.can_stage else ()):
            leaf = self.leaves[i]
            if _is_missing(before) or _is_missing(leaf):
                self.kinds[i] = self._general(before, None, leaf)[1]
            if self.kinds[i] is not None:
                continue
            if isinstance(before, Staged):
                self.kinds[i] = self._type_of(leaf)
            elif not is_same(before, leaf) or (owners[i] in rebound and constant_type(leaf) is not None):
                self.varies = self.varies or not (_is_array(leaf) and _is_array(before))
                self.kinds[i] = self._type_of(leaf)
                self.can_stage &= self.kinds[i] is not None or is_same(before, leaf)

    def is_of(self, called: types.FunctionType) -> bool:
        """Return whether this is the recursion of a function with the same code and free variables."""
        if called.__code__ is not self.code:
            return False
        own, other = free_variables(self.function), free_variables(called)
        return own.keys() == other.keys() and all(own[name] is other[name] for name in own)

    def _type_of(self, leaf: Any) -> StagedType | None:
        return None if isinstance(leaf, str) else self.backend.type_of(leaf)

    def _bind(self, args: Any, kwargs: Any) -> dict[str, Any]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def _flatten(self, parameters: dict[str, Any]) -> tuple[list[Any], Spec]:
        """Flatten arguments. A list or dict that each activation passes on is a leaf."""
        whole = self._fixed | {id(value) for name, value in parameters.items() if name in self._lists}
        sources = lambda value: None if id(value) in whole else ()  # noqa: E731 - a single expression
        return flatten(tuple(parameters.values()), sources=sources)

    def _unified(self, first: Value, second: Value) -> tuple[Value, Value] | None:
        """Return the arguments of two calls in one structure. What is None in one of them is optional."""
        sides: tuple[list[Any], list[Any]] = [], []
        parts = []
        rest = iter(first[0]), iter(second[0])
        for specs in zip(first[1].parts, second[1].parts, strict=True):
            values = [([next(r) for _ in range(_count(s))], s) for r, s in zip(rest, specs, strict=True)]
            if specs[0] != specs[1]:
                both = unified(values[0], values[1], self.backend)
                if both is None:
                    return None
                values = [*both]
            parts.append(values[0][1])
            for side, (leaves, _) in zip(sides, values, strict=True):
                side += leaves
        spec = replace(first[1], parts=tuple(parts))
        return (sides[0], spec), (sides[1], spec)

    def _stage_lists(self, parameters: dict[str, Any]) -> None:
        """Trace again with staged lists in the place of plain ones that a call passes in another length."""
        names: set[str] = set()
        kinds: list[Any] = []
        rest = iter(self.kinds)
        for (name, own), part in zip(self._parameters.items(), self.spec.parts, strict=True):
            before = [next(rest) for _ in range(_count(part))]
            value = parameters[name]
            is_other = type(own) is type(value) is list and value is not own
            if is_other and before[:1] in ([], [None]) and (part == LEAF or len(value) != len(own)):
                before = [self._type_of(own)]
                names.add(name)
            kinds += before
        if names and None not in [self._type_of(parameters[name]) for name in names]:
            self._lists |= names
            self.leaves, self.spec = self._flatten(self._parameters)
            self.kinds = kinds
            raise Retrace(self)

    def move(self, value: Any, other: Any) -> None:
        """Pass a staged list or array in the place of a plain one."""
        for i, leaf in enumerate(self.leaves):
            if leaf is value:
                self.leaves[i], self.kinds[i] = other, self._type_of(other)
        self._parameters.update({n: other for n, held in self._parameters.items() if held is value})

    def _accepted(self, leaves: list[Any], spec: Spec) -> list[Any] | None:
        """Return the arguments of a call in the structure of the first, or None if it cannot be called.

        Raises:
            Retrace: they have more general types.
        """
        own: list[Any] = [*zip(self.leaves, self.kinds, strict=True)]
        own_spec = self.spec
        if spec != own_spec:
            known = [None if leaf is kind is None else _Known(leaf, kind) for leaf, kind in own]
            both = self._unified((known, own_spec), (leaves, spec))
            if both is None:
                return None
            (known, own_spec), (leaves, _) = both
            own = [(v.leaf, v.kind) if isinstance(v, _Known) else (v, None) for v in known]
        kinds = [self._general(v, kind, new) for (v, kind), new in zip(own, leaves, strict=True)]
        if not all(map(operator.itemgetter(0), kinds)):
            return None
        general = [kind for _, kind in kinds]
        if general != self.kinds or own_spec != self.spec:
            self.leaves, self.spec, self.kinds = [leaf for leaf, _ in own], own_spec, general
            raise Retrace(self)
        return leaves

    def _general(self, known: Any, kind: StagedType | None, leaf: Any) -> tuple[bool, StagedType | None]:
        """Return whether a leaf can be passed like that of another call, and the type for both."""
        if kind is None and not isinstance(leaf, Staged) and is_same(leaf, known):
            return True, None
        own = self._type_of(known) if kind is None else kind
        other = self._type_of(leaf)
        nullable = self._nullable(known, other) if kind is None else None
        nullable = nullable or self._nullable(leaf, own)
        if nullable is not None:
            return True, nullable
        if own is None or other is None:
            return False, None
        try:
            return True, merge_types(own, other)
        except TypeError as error:
            raise refusal(
                self.code,
                f"an argument is {own} in one call and {other} in another: {error}",
                "pass arguments of one type and number of dimensions",
            ) from None

    def _nullable(self, missing: Any, kind: StagedType | None) -> StagedType | None:
        """Return the type of what is missing in one call and has a type in another, or None if it is not."""
        if kind is None or not _is_missing(missing):
            return None
        return self.backend.optional(kind) if missing is None else self.backend.unbound(kind, missing.error)

    def staged_arguments(self) -> list[int]:
        return [i for i, kind in enumerate(self.kinds) if kind is not None]

    def _argument_names(self, count: int) -> list[str]:
        names: list[str] = []
        for name, part in zip(self._signature.parameters, self.spec.parts, strict=True):
            names += [name] if part == LEAF else [f"{name}_{i}" for i in range(_count(part))]
        staged = [names[i] for i in self.staged_arguments()]
        return [*staged, *(f"outer_{i}" for i in range(count - len(staged)))]


def _is_missing(value: Any) -> bool:
    return value is None or isinstance(value, Undefined)


def _differ_in_length(value: Any, other: Any) -> bool:
    return type(value) is list and type(other) is list and len(value) != len(other)


def _count(spec: Spec) -> int:
    return 1 if spec.kind is None else sum(map(_count, spec.parts))


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and constant_type(value) is not None
