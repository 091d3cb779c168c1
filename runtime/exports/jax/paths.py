"""What several paths or rounds leave, as one value: its *form* is known, its arrays are the program's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...graph.ir import Missing
from ...graph.types import ListType, MaybeType, ScalarType, TupleType
from . import refused
from .run import Run
from .values import INT, Grown, Maybe, Said, dtype_of, is_known, said

BOOL, TEXT = ScalarType(bool), ScalarType(str)
MOST_TEXTS = 256


@dataclass(frozen=True)
class Same:
    """The same value on all paths, which the program need not carry."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and same(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Leaf:
    """An array."""

    kind: Any
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Parts:
    """A tuple, or a list of known length."""

    make: Any
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class List:
    """A list whose length the program knows; `element` is None while nothing was put in."""

    element: Any
    capacity: int
    base: Any
    extra: int
    most: int


@dataclass(frozen=True)
class Texts:
    """One of some texts; `values` has the forms of the values of each."""

    texts: tuple[Any, ...]
    values: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Perhaps:
    """What is unbound on some path; `held` is None while it is on all."""

    bound: Any
    held: Any


def same(first: Any, second: Any) -> bool:
    """Whether two values are certainly one."""
    if first is second:
        return True
    if type(first) is not type(second) or isinstance(first, (jax.Array, np.ndarray)) or not is_known(first):
        return False
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return bool(first == second) and repr(first) == repr(second)


class Paths:
    """Forms of the values of one node."""

    def __init__(self, run: Run):
        self.run, self.node = run, run.node

    # Of one value, and of two

    def single(self, value: Any, kind: Any, *, known: bool) -> Any:
        """The form of a value; with `known` what is known stays so."""
        if known and is_known(value):
            return Same(value)
        if isinstance(kind, MaybeType):
            bound, held = halves(value)
            return Perhaps(
                self.single(bound, BOOL, known=known),
                None if held is None else self.single(held, kind.held, known=known),
            )
        if isinstance(kind, ListType):
            if known and isinstance(value, list):
                return Parts(list, tuple([self.single(v, kind.element, known=True) for v in value]))
            if isinstance(value, list):
                element = self._items(value, kind.element)
                return List(element, len(value), None, len(value), len(value))
            element = self._row(value.rows, kind.element)
            base = None if value.base is None else Leaf(INT, ())
            return List(element, value.capacity, base, value.extra, value.most)
        if isinstance(kind, TupleType):
            pairs = zip(value, kind.parts, strict=True)
            return Parts(tuple, tuple([self.single(v, k, known=known) for v, k in pairs]))
        if isinstance(value, (str, Said)):
            return self._texts(value)
        if value is Missing.VALUE:
            raise refused.differs(self.node, "a variable has no value on any path")
        return Leaf(kind, np.shape(value))

    def joined(self, first: Any, second: Any, kind: Any, *, known: bool = True) -> Any:
        """The form of what is one of two values."""
        if known and same(first, second):
            return Same(first)
        if any(v is Missing.VALUE or isinstance(v, Maybe) for v in (first, second)):
            held_kind = kind.held if isinstance(kind, MaybeType) else kind
            bounds, held = zip(halves(first), halves(second), strict=True)
            parts = [h for h in held if h is not None]
            form: Any = None
            if len(parts) == 2:
                form = self.joined(parts[0], parts[1], held_kind, known=known)
            elif parts:
                form = self.single(parts[0], held_kind, known=known)
            return Perhaps(self.joined(bounds[0], bounds[1], BOOL, known=known), form)
        if isinstance(kind, MaybeType):
            return self.joined(first, second, kind.held, known=known)
        if isinstance(kind, ListType):
            return self._joined_lists(first, second, kind)
        if isinstance(kind, TupleType):
            trios = zip(first, second, kind.parts, strict=True)
            return Parts(tuple, tuple([self.joined(a, b, k, known=known) for a, b, k in trios]))
        if isinstance(first, (str, Said)) or isinstance(second, (str, Said)):
            if not all(isinstance(v, (str, Said)) for v in (first, second)):
                raise refused.differs(self.node, "it is text on one path only")
            return self._either(self._texts(first), self._texts(second))
        if np.shape(first) != np.shape(second):
            raise refused.differs(
                self.node, f"one has the shape {np.shape(first)}, the other {np.shape(second)}"
            )
        return Leaf(kind, np.shape(first))

    def _texts(self, value: Any) -> Texts:
        text = said(value)
        forms = [
            tuple([self.single(v, k, known=False) for v, k in zip(values, types, strict=True)])
            for (_, types), values in zip(text.texts, text.values, strict=True)
        ]
        return Texts(text.texts, tuple(forms))

    def _either(self, first: Texts, second: Texts) -> Texts:
        """The texts of both, each once."""
        texts = dict(zip(first.texts, first.values, strict=True))
        for text, forms in zip(second.texts, second.values, strict=True):
            texts.setdefault(text, forms)
        if len(texts) > MOST_TEXTS:
            raise refused.differs(self.node, f"it is one of more than {MOST_TEXTS} texts")
        return Texts(tuple(texts), tuple(texts.values()))

    def _joined_lists(self, first: Any, second: Any, kind: ListType) -> Any:
        if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
            pairs = zip(first, second, strict=True)
            return Parts(list, tuple([self.joined(a, b, kind.element) for a, b in pairs]))
        forms = [self.single(v, kind, known=False) for v in (first, second)]
        elements = [f.element for f in forms if f.element is not None]
        element = elements[0] if elements else None
        if len(elements) == 2:
            element = self._common(*elements)
        bases = [getattr(v, "base", None) for v in (first, second)]
        most = max(f.most for f in forms)
        capacity = max(f.capacity for f in forms)
        if forms[0].extra == forms[1].extra and bases[0] is bases[1]:
            return List(element, capacity, Same(bases[0]), forms[0].extra, most)
        return List(element, capacity, Leaf(INT, ()), 0, most)

    def _items(self, items: Sequence[Any], kind: Any) -> Any:
        """The form of all items of a list; None of an empty one."""
        forms = [self.single(item, kind, known=False) for item in items]
        element = forms[0] if forms else None
        for form in forms[1:]:
            element = self._common(element, form)
        return element

    def _common(self, first: Any, second: Any) -> Any:
        if first != second:
            raise refused.differs(self.node, f"items of a list are {_told(first)} and {_told(second)}")
        return first

    def _row(self, rows: Any, kind: Any) -> Any:
        if isinstance(kind, TupleType):
            pairs = zip(rows, kind.parts, strict=True)
            return Parts(tuple, tuple([self._row(r, k) for r, k in pairs]))
        return Leaf(kind, rows.shape[1:])

    def widened(self, form: Any, value: Any, kind: Any) -> Any:
        """The form of what a loop carries that has a form before a round, and a value after."""
        match form:
            case Same(before):
                if not same(before, value):
                    raise refused.differs(self.node, "text or an object changes in the loop")
                return form
            case Leaf(_, shape):
                if np.shape(value) != shape:
                    raise refused.differs(
                        self.node, f"the shape is {shape} before a round, and {np.shape(value)} after"
                    )
                return form
            case Perhaps(bound, held):
                after = halves(value)[1]
                if held is not None and after is not None:
                    held = self.widened(held, after, _held(kind))
                elif after is not None:
                    held = self.carried(after, _held(kind))
                return Perhaps(bound, held)
            case Texts():
                return self._either(form, self._texts(value))
            case Parts(make, parts):
                trios = zip(parts, value, kind.parts, strict=True)
                return Parts(make, tuple([self.widened(f, v, k) for f, v, k in trios]))
            case List(element):
                after = self.single(value, kind, known=False)
                if element is not None and after.element is not None:
                    self._common(element, after.element)
                capacity = form.capacity or after.capacity
                return List(element or after.element, capacity, form.base, 0, form.most)
        raise AssertionError(form)

    def carried(self, value: Any, kind: Any) -> Any:
        """The form of what a loop carries and that has a value before it."""
        if isinstance(kind, MaybeType):
            held = halves(value)[1]
            return Perhaps(Leaf(BOOL, ()), self._held_form(held, kind.held))
        if isinstance(kind, TupleType):
            return Parts(tuple, tuple([self.carried(v, k) for v, k in zip(value, kind.parts, strict=True)]))
        form = self.single(value, kind, known=False)
        if isinstance(form, List):
            return List(form.element, form.capacity, Leaf(INT, ()), 0, form.most)
        return form

    def _held_form(self, held: Any, kind: Any) -> Any:
        if held is not None:
            return self.carried(held, kind)
        shape = getattr(kind, "shape", ())
        if isinstance(kind, (ListType, TupleType)) or None in shape or kind == TEXT:
            return None
        return Leaf(kind, shape)

    # Arrays of values, and back

    def arrays(self, form: Any, value: Any) -> list[Any]:
        """The arrays of a value in a form."""
        match form:
            case Same():
                return []
            case Leaf(kind):
                return [self.run.array(value, kind) if value is not None else self.zeros(form)[0]]
            case Parts(_, parts):
                if value is None:
                    return self.zeros(form)
                return [a for f, v in zip(parts, value, strict=True) for a in self.arrays(f, v)]
            case Texts(texts, forms):
                return self._of_text(texts, forms, said(value))
            case Perhaps(bound, held):
                is_bound, inner = halves(value)
                made = [] if held is None else self.zeros(held) if inner is None else self.arrays(held, inner)
                return [*self.arrays(bound, is_bound), *made]
            case List(element, capacity, base):
                length = len(value) if isinstance(value, list) else value.length
                rows = [] if element is None else jax.tree.leaves(self.rows(value, element, capacity))
                return [*rows, *([] if base is None else self.arrays(base, length))]
        raise AssertionError(form)

    def _of_text(self, texts: Any, forms: Any, value: Said) -> list[Any]:
        own = dict(zip(value.texts, value.values, strict=True))
        table = jnp.asarray([texts.index(text) for text in value.texts])
        arrays = [table[value.which]]
        for text, parts in zip(texts, forms, strict=True):
            for i, part in enumerate(parts):
                arrays += self.arrays(part, own[text][i]) if text in own else self.zeros(part)
        return arrays

    def zeros(self, form: Any) -> list[Any]:
        """Arrays of a form that nobody reads."""
        match form:
            case Leaf(kind, shape):
                return [jnp.zeros(shape, self.run.number(0, dtype_of(kind)).dtype)]
            case Parts(_, parts):
                return [a for part in parts for a in self.zeros(part)]
            case Texts(_, forms):
                made = [a for parts in forms for part in parts for a in self.zeros(part)]
                return [jnp.zeros((), int), *made]
            case Perhaps(bound, held):
                return [*self.zeros(bound), *([] if held is None else self.zeros(held))]
            case List(element, capacity, base):
                rows = [] if element is None else self.zeros(element)
                made = [jnp.zeros((capacity, *row.shape), row.dtype) for row in rows]
                return [*made, *([] if base is None else self.zeros(base))]
        return []

    def built(self, form: Any, arrays: Iterator[Any]) -> Any:
        """The value of a form that has some arrays."""
        match form:
            case Same(value):
                return value
            case Leaf():
                return next(arrays)
            case Parts(make, parts):
                return make([self.built(part, arrays) for part in parts])
            case Texts(texts, forms):
                which = next(arrays)
                values = [[self.built(part, arrays) for part in parts] for parts in forms]
                return Said(texts, values, which)
            case Perhaps(bound, held):
                is_bound = self.built(bound, arrays)
                return maybe(is_bound, None if held is None else self.built(held, arrays))
            case List(element, _, base, extra, most):
                if element is None:
                    if base is not None:
                        self.built(base, arrays)
                    return []
                rows = self.built(element, arrays)
                return Grown(rows, None if base is None else self.built(base, arrays), extra, most)
        raise AssertionError(form)

    def rows(self, value: Any, element: Any, capacity: int) -> Any:
        """The items of a list in rows of arrays, which are as many as `capacity` says."""
        if isinstance(value, list):
            size = len(value)
            columns = zip(*(self.arrays(element, item) for item in value), strict=True)
            leaves = [jnp.stack(column) for column in columns]
            if not value:
                return self.built(
                    element, iter([jnp.zeros((capacity, *z.shape), z.dtype) for z in self.zeros(element)])
                )
        else:
            size, leaves = value.capacity, jax.tree.leaves(value.rows)
        if size < capacity:
            leaves = [jnp.pad(r, [(0, capacity - size), *([(0, 0)] * (r.ndim - 1))]) for r in leaves]
        return self.built(element, iter(leaves))


def _held(kind: Any) -> Any:
    return kind.held if isinstance(kind, MaybeType) else kind


def halves(value: Any) -> tuple[Any, Any]:
    """Whether a value is bound, and what it is then; None where it is certainly unbound."""
    if value is Missing.VALUE:
        return False, None
    return (value.bound, value.held) if isinstance(value, Maybe) else (True, value)


def maybe(bound: Any, held: Any) -> Any:
    """What `halves` takes apart."""
    if bound is True:
        return held
    return Missing.VALUE if bound is False or held is None else Maybe(bound, held)


def _told(form: Any) -> str:
    if isinstance(form, Leaf):
        return f"{form.kind} of the shape {form.shape}"
    return "tuples of others"
