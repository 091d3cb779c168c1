"""Staged sets and dicts, whose members and keys are known only when the graph runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from .... import staging
from ....core.active_backends import active_backend
from ....core.closures import nothing, set_nothing
from ....core.in_flight import running
from ....errors import StagingError, UnsupportedFunctionError
from ....staging.exceptions import raise_in_program
from ...ir.graph import Node
from ...ir.list_operations import DICTS
from ...ir.types import ArrayType, DictType, ListType, ScalarType, SetType, StagedType, TupleType
from ..recording import add, outputs, record
from ..tensor import Staged, register_class
from . import lists
from .staged_lists import StagedList

_BOOL = ScalarType(bool)
_REFUSED = "the graph has no operation for it"


class StagedKeyed(StagedList):
    """A set or a dict. Iterating over it yields its members or its keys."""

    __slots__ = ()

    python_class: type

    @property
    def key_type(self) -> StagedType | None:
        return self.type.element

    def as_list(self) -> Any:
        return record("iterate", (self,), ListType(self.key_type), function=list)

    def clear(self) -> None:
        self.change("clear")

    def change(
        self,
        method: str,
        nodes: Sequence[Any] = (),
        element: StagedType | None = None,
        result: StagedType | None = None,
    ) -> Any:
        """Record a method that changes the object; return what the method returns, if its type is given.

        `element` is the type of what the method adds.
        """
        kind = replace(self.type, element=lists.merge_element_types(self.type.element, element, self.noun))
        node = add("list_update", (self, *nodes), None, method=method)
        changed, *results = outputs(node, (kind,) if result is None else (kind, result))
        self.write(changed)
        return results[0] if results else None

    def require(self, key: Any) -> None:
        """Where a `try` of the traced code may catch it, raise the KeyError before the operation."""
        if self.type.element is None:
            raise KeyError(key)
        if running.flight is not None:
            backend = active_backend()
            missing = backend.not_(record("contains", (self, key_node(key)), _BOOL))
            error = KeyError(key)
            staging.if_stmt(
                backend, missing, lambda: raise_in_program(error), nothing, tuple, set_nothing, (), 0
            )

    def __getattr__(self, name: str) -> NoReturn:
        kind = self.python_class
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        remedy = "use its other methods, or a list"
        self.fail(f"has no {name}()", _REFUSED, remedy, UnsupportedFunctionError)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        self.fail("does not support this operation", _REFUSED, "use its methods", UnsupportedFunctionError)

    append = extend = insert = reverse = sort = index = count = _refuse  # type: ignore[assignment]
    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __delitem__ = __setitem__ = _refuse
    __getitem__ = _refuse
    __hash__ = Staged.__hash__


def key_node(value: Any) -> Node:
    """Return the node of a member of a set or a key of a dict.

    Raises:
        TypeError: the value cannot be hashed.
    """
    if isinstance(value, (list, dict, set)):
        raise TypeError(f"unhashable type: '{type(value).__name__}'")
    node = lists.element_node(value)
    if not _is_plain(node.type):
        raise TypeError(
            f"unhashable type: '{'list' if isinstance(node.type, ListType) else 'numpy.ndarray'}'"
        )
    return node


def value_node(value: Any) -> Node:
    if not isinstance(value, (list, dict, set)):
        node = lists.element_node(value)
        if _is_plain(node.type):
            return node
    raise StagingError(
        "a list or an array is stored in a dict whose keys depend on staged values",
        why="such a dict can contain only numbers, text, and tuples of these",
        remedy="keep the values in a list, and their positions in the dict",
    )


def _is_plain(kind: Any) -> bool:
    """Return whether values of a type are numbers, text or tuples of these."""
    if isinstance(kind, TupleType):
        return all(map(_is_plain, kind.parts))
    return isinstance(kind, ScalarType) or (isinstance(kind, ArrayType) and not kind.shape)


class StagedSet(StagedKeyed):
    """A `set` in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a set", "assign a copy to the other name, or return a copy: members.copy()"
    python_class = set

    def add(self, value: Any) -> None:
        node = key_node(value)
        self.change("add", [node], node.type)

    def discard(self, value: Any) -> None:
        self.change("discard", [key_node(value)])

    def remove(self, value: Any) -> None:
        self.require(value)
        self.change("remove", [key_node(value)])

    def pop(self) -> Any:  # type: ignore[override]
        if self.type.element is None:
            raise KeyError("pop from an empty set")
        return self.change("pop", result=self.type.element)

    def copy(self) -> Any:
        return record("set_of", (self,), self.type)

    def update(self, *others: Any) -> None:  # type: ignore[override]
        self._update("update", others)

    def intersection_update(self, *others: Any) -> None:
        self._update("intersection_update", others)

    def difference_update(self, *others: Any) -> None:
        self._update("difference_update", others)

    def symmetric_difference_update(self, other: Any) -> None:
        self._update("symmetric_difference_update", (other,))

    def _update(self, method: str, others: Sequence[Any]) -> None:
        for other in others:
            members = staged_set(other)
            self.change(method, [members], members.type.element)

    def _compared(method: str) -> Callable[[Any, Any], Any]:  # noqa: N805 - makes methods
        return lambda self, other: record(method, (self, staged_set(other)), _BOOL)

    issubset = __le__ = _compared("issubset")
    issuperset = __ge__ = _compared("issuperset")
    isdisjoint = _compared("isdisjoint")
    __eq__ = _compared("eq")  # type: ignore[assignment]
    __ne__ = _compared("ne")  # type: ignore[assignment]
    __hash__ = Staged.__hash__

    def __lt__(self, other: Any) -> Any:
        return active_backend().and_(self <= other, lambda: self != other)

    def __gt__(self, other: Any) -> Any:
        return active_backend().and_(self >= other, lambda: self != other)

    def _combined(method: str) -> Callable[..., Any]:  # noqa: N805 - makes methods
        def combine(self: Any, *others: Any) -> Any:
            result = self.copy()
            getattr(result, method)(*others)
            return result

        return combine

    union = __or__ = __ror__ = _combined("update")
    intersection = __and__ = __rand__ = _combined("intersection_update")
    difference = __sub__ = _combined("difference_update")
    symmetric_difference = __xor__ = __rxor__ = _combined("symmetric_difference_update")

    def __rsub__(self, other: Any) -> Any:
        return staged_set(other) - self

    def _changed(method: str) -> Callable[..., Any]:  # noqa: N805 - makes methods
        def change(self: Any, other: Any) -> Any:
            getattr(self, method)(other)
            return self

        return change

    __ior__, __iand__ = _changed("update"), _changed("intersection_update")
    __isub__, __ixor__ = _changed("difference_update"), _changed("symmetric_difference_update")


class StagedDict(StagedKeyed):
    """A `dict`, a `Counter` or a `defaultdict` of numbers in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a dict", "assign a copy to the other name, or return a copy: items.copy()"
    python_class = dict

    @property
    def key_type(self) -> StagedType | None:
        return None if self.type.element is None else self.type.element.parts[0]

    @property
    def value_type(self) -> StagedType | None:
        return None if self.type.element is None else self.type.element.parts[1]

    def __getitem__(self, key: Any) -> Any:
        factory, node = self.type.factory, key_node(key)
        if factory == "Counter":
            return record("dict_get", (self, node), self._merged(ScalarType(int)))
        if factory != "dict":
            value = self._merged(ScalarType(type(DICTS[factory]().default_factory())))  # type: ignore[attr-defined]
            return self.change("get_or_add", [node], TupleType((node.type, value)), value)
        self.require(key)
        return record("dict_get", (self, node), self.value_type)

    def _merged(self, value: StagedType) -> Any:
        return lists.merge_element_types(self.value_type, value, self.noun)

    def __setitem__(self, key: Any, value: Any) -> None:
        nodes = [key_node(key), value_node(value)]
        self.change("put", nodes, TupleType((nodes[0].type, nodes[1].type)))

    def __delitem__(self, key: Any) -> None:
        self.require(key)
        self.change("delete", [key_node(key)])

    def get(self, key: Any, default: Any = None) -> Any:
        if self.type.element is None:
            return default
        node = key_node(key)
        has_key = record("contains", (self, node), _BOOL)
        found = lambda: record("dict_get", (self, node), self.value_type)  # noqa: E731
        return staging.if_exp(active_backend(), has_key, found, lambda: default, "", (self, default))

    def setdefault(self, key: Any, default: Any = None) -> Any:
        nodes = [key_node(key), value_node(default)]
        value = self._merged(nodes[1].type)
        return self.change("setdefault", nodes, TupleType((nodes[0].type, value)), value)

    def pop(self, key: Any, *default: Any) -> Any:  # type: ignore[override]
        if default:
            result = self.get(key, *default)
            if self.type.element is not None:
                self.change("take_or", [key_node(key), 0], result=self.value_type)
            return result
        self.require(key)
        return self.change("take", [key_node(key)], result=self.value_type)

    def popitem(self) -> Any:
        if self.type.element is None:
            raise KeyError("popitem(): dictionary is empty")
        return self.change("popitem", result=self.type.element)

    def update(self, other: Any = (), /, **named: Any) -> None:  # type: ignore[override]
        if isinstance(other, StagedDict):
            self.change("update", [other], other.type.element)
        else:
            for key, value in dict(other, **named).items():
                self[key] = self[key] + value if self.type.factory == "Counter" else value

    def count_items(self, values: Any) -> None:
        """Count the items of a staged list, as `Counter.update` does."""
        self.change("update", [values], TupleType((values.type.element, ScalarType(int))))

    def keys(self) -> Any:
        return self.as_list()

    def values(self) -> Any:
        return record("dict_values", (self,), ListType(self.value_type))

    def items(self) -> Any:
        return record("dict_items", (self,), ListType(self.type.element))

    def copy(self) -> Any:
        return record("dict_of", (self,), self.type, factory=self.type.factory)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (StagedDict, Mapping)):
            return NotImplemented
        return record("eq", (self, staged_dict(other)), _BOOL)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else active_backend().not_(equal)

    __hash__ = Staged.__hash__


def staged_set(values: Any) -> Any:
    """Return a staged set of the members of a plain or staged set or list."""
    if isinstance(values, StagedSet):
        return values
    if isinstance(values, (set, frozenset, list, tuple)):
        nodes = [key_node(value) for value in values]
        element = None
        for node in nodes:
            element = lists.merge_element_types(element, node.type, "a set")
        values = record("list", nodes, ListType(element))
    elif not isinstance(values, StagedList):
        values = active_backend().call_builtin(list, (values,), {})
        if isinstance(values, list):
            return staged_set(values)
    return record("set_of", (values,), SetType(values.type.element))


def staged_counter(values: Any) -> Any:
    """Return a staged Counter of the items of a list or another iterable."""
    counts = staged_dict(Counter())
    items = values if isinstance(values, StagedList) else active_backend().call_builtin(list, (values,), {})
    counts.count_items(lists.staged_list(items) if isinstance(items, list) else items)
    return counts


def factory_of(mapping: Any) -> str | None:
    """Return the name of what makes an empty dict like this one, or None if no staged dict can replace it."""
    if type(mapping) is defaultdict:
        name = getattr(mapping.default_factory, "__name__", "")
        return name if name in DICTS and mapping.default_factory in (int, float, bool, complex) else None
    return {dict: "dict", Counter: "Counter"}.get(type(mapping))


def staged_dict(mapping: Any) -> Any:
    """Return a staged dict with the items of a plain one, or of a list of pairs."""
    if isinstance(mapping, StagedDict):
        return mapping
    if not isinstance(mapping, dict):
        items = mapping if isinstance(mapping, list) else active_backend().call_builtin(list, (mapping,), {})
        return _dict_of_pairs(items) if isinstance(items, list) else _dict_of(items, "dict")
    factory = factory_of(mapping)
    if factory is None:
        raise StagingError(
            f"a {type(mapping).__name__} would get keys that are known only when the graph runs",
            why="a graph contains dicts, Counters, and defaultdicts of int, float, bool and complex",
            remedy="use one of these",
        )
    return _dict_of_pairs(mapping.items(), factory)


def _dict_of_pairs(items: Any, factory: str = "dict") -> Any:
    pairs = [(key_node(key), value_node(value)) for key, value in items]
    element = None
    for key, value in pairs:
        element = lists.merge_element_types(element, TupleType((key.type, value.type)), "a dict")
    nodes = [add("tuple", pair, TupleType((pair[0].type, pair[1].type))) for pair in pairs]
    return _dict_of(record("list", nodes, ListType(element)), factory)


def _dict_of(items: Any, factory: str) -> Any:
    return record("dict_of", (items,), DictType(items.type.element, factory), factory=factory)


register_class(SetType, StagedSet, "staged set", "builtins.set")
register_class(DictType, StagedDict, "staged dict", "builtins.dict")
