"""Staged dicts, Counters and defaultdicts."""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from .... import staging
from ....backends.builtins import DISPATCHING
from ....containers.ordering import raise_if
from ....core.active_backends import active_backend
from ....errors import AliasError, StagingError
from ....staging.branches.exceptions import raise_in_program
from ...ir.list_operations import DICTS
from ...ir.type_merging import referenced
from ...ir.types import DictType, ListType, ScalarType, SetType, StagedType, TupleType, bound_type, is_plain
from ..recording import add, record
from ..tensor import Staged, register_class
from ..trace import current_builder
from . import lists, references
from .iterables import iterated_sources, staged_enumerate
from .staged_keyed import BOOL, REMOVING, StagedKeyed, is_object, key_node, value_node
from .staged_lists import StagedList
from .staged_sets import new_set, staged_set
from .stand_ins import note_stored


class StagedDict(StagedKeyed):
    """A `dict`, a `Counter` or a `defaultdict` of numbers in the graph."""

    __slots__ = ()

    noun, copy_remedy = "a dict", "assign a copy to the other name, or return a copy: items.copy()"

    @property
    def python_class(self) -> type:  # type: ignore[override]
        return {"dict": dict, "Counter": Counter}.get(bound_type(self.type).factory, defaultdict)

    @property
    def key_type(self) -> StagedType | None:
        return None if self.type.element is None else self.type.element.parts[0]

    @property
    def value_type(self) -> Any:
        return None if self.type.element is None else self.type.element.parts[1]

    def __getitem__(self, key: Any) -> Any:
        factory = self.type.factory
        if factory == "dict":
            self.require(key)  # which may begin a branch, so the key has no node before
            return record("dict_get", (self, key_node(key)), self.value_type)
        node = key_node(key)
        if factory == "Counter":
            return record("dict_get", (self, node), self._merged(ScalarType(int)))
        value = self._merged(_type_of_default(factory))
        return self.change("get_or_add", [node], TupleType((node.type, value)), value)

    def _merged(self, value: StagedType) -> Any:
        return lists.merge_element_types(self.value_type, value, self.noun)

    def __setitem__(self, key: Any, value: Any) -> None:  # type: ignore[override]
        nodes = [key_node(key), value_node(value)]
        self.change("put", nodes, TupleType((nodes[0].type, nodes[1].type)))

    def __delitem__(self, key: Any) -> None:  # type: ignore[override]
        if self.type.factory == "Counter":  # which raises nothing
            self.pop(key, 0)
            return
        self.require(key)
        self.change("delete", [key_node(key)])

    def get(self, key: Any, default: Any = None) -> Any:
        if self.type.element is None:
            return default
        has_key = record("contains", (self, key_node(key)), BOOL)
        found = lambda: record("dict_get", (self, key_node(key)), self.value_type)  # noqa: E731
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
            raise_in_program(KeyError("popitem(): dictionary is empty"))
        return self.change("popitem", result=self.type.element)

    def update(self, other: Any = (), /, **named: Any) -> None:  # type: ignore[override]
        if self.type.factory == "Counter":
            self._count("update", operator.add, other)
        elif isinstance(other, Mapping):
            for key, value in other.items():
                self[key] = value
        else:
            items = staged_dict(other)
            self.change("update", [items], items.type.element)
        if named:
            self.update(named)

    def subtract(self, other: Any = (), /, **named: Any) -> None:
        if self.type.factory != "Counter":
            self.__getattr__("subtract")
        self._count("subtract", operator.sub, other)
        if named:
            self.subtract(named)

    def _count(self, method: str, combine: Callable[[Any, Any], Any], other: Any) -> None:
        """Count the items of an iterable, or add or subtract the counts of a mapping."""
        if isinstance(other, StagedDict):
            self.change(method, [other], other.type.element)
        elif isinstance(other, Mapping):
            for key, value in other.items():
                self[key] = combine(self[key], value)
        elif other is not None:
            items = active_backend().call_builtin(list, (other,), {})
            items = lists.staged_list(items) if isinstance(items, list) else items
            if items.type.element is not None:
                self.change(method, [items], TupleType((items.type.element, ScalarType(int))))

    def most_common(self, n: Any = None) -> Any:
        if self.type.factory != "Counter":
            self.__getattr__("most_common")
        pairs = self.items()
        if self.type.element is not None:
            key = operator.itemgetter(1)
            pairs = active_backend().call_builtin(sorted, (pairs,), {"key": key, "reverse": True})
        return pairs if n is None else pairs[: DISPATCHING[id(max)](n, 0)]

    def total(self) -> Any:
        if self.type.factory != "Counter":
            self.__getattr__("total")
        return active_backend().call_builtin(sum, (self.values(),), {})

    def keys(self) -> Any:
        return self.as_view()

    def values(self) -> Any:
        return self.viewed_by(record("dict_values", (self,), ListType(self.value_type)), "values")

    def items(self) -> Any:
        return self.viewed_by(record("dict_items", (self,), ListType(self.type.element)), "items")

    def copy(self) -> Any:
        return record("dict_of", (self,), self.type, factory=self.type.factory)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (StagedDict, Mapping)):
            return NotImplemented
        return record("eq", (self, staged_dict(other)), BOOL)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else active_backend().not_(equal)

    __hash__ = Staged.__hash__


def _type_of_default(factory: str) -> Any:
    """Return the type of what a defaultdict makes for a key."""
    kind = type(DICTS[factory]().default_factory())  # type: ignore[attr-defined]
    empty: dict[Any, ListType] = {list: ListType(None), set: SetType(None)}
    made = empty.get(kind)
    return ScalarType(kind) if made is None else referenced(made, current_builder())


class LiveItems:
    """The items of a dict, or of a view of it, for a loop that changes the dict.

    Each iteration reads its value anew, and ends with Python's error if the number of keys is another.
    """

    def __init__(self, owner: StagedDict, view: str, start: Any = None):
        self.owner, self.view, keys = owner, view, owner.as_list()
        self.length = active_backend().call_builtin(len, (owner,), {})
        self.is_numbered = start is not None
        self.iterated = staged_enumerate(keys, start) if self.is_numbered else keys
        self.changes: frozenset[str] = frozenset()

    def begin(self, given: Any) -> Any:
        """Return the item of an iteration over `iterated`."""
        self.changes, self.owner.changes = self.owner.changes, frozenset()
        return (given[0], self._item(given[1])) if self.is_numbered else self._item(given)

    def _item(self, key: Any) -> Any:
        if self.view not in ("values", "items"):
            return key
        value = record("dict_get", (self.owner, key_node(key)), self.owner.value_type)
        return value if self.view == "values" else (key, value)

    def end(self, goes_on: Any) -> None:
        """Raise Python's error if the number of keys has changed, and the loop goes on.

        Raises:
            AliasError: an iteration removes keys and adds others.
        """
        own, self.owner.changes = self.owner.changes, self.owner.changes | self.changes
        if own & REMOVING and own - REMOVING:
            raise AliasError(
                "a loop over a dict removes keys and adds keys",
                why="how Python goes on depends on the order in which the keys were added",
                remedy="loop over a copy: for key in list(values)",
            )
        check_size(self.owner, self.length, lambda: goes_on)


def live_items(iterated: Any) -> LiveItems | None:
    """Return what goes over a dict that a loop changes, or None for anything else."""
    start = None
    if getattr(iterated, "op", "") == "enumerate":
        iterated, start = iterated.inputs
    owner, view = getattr(iterated, "viewed", None) or (iterated, "")
    return LiveItems(owner, view, start) if isinstance(owner, StagedDict) else None


def viewed_containers(iterated: Any) -> list[Any]:
    """Return what supplies the items of a loop by a view, or by `map` or `filter`."""
    found: list[Any] = []
    for source in iterated_sources(iterated):
        if isinstance(source, StagedList):
            found += source.taken_from if source.viewed is None else [source.viewed[0]]
    return found


def new_dict(values: Any) -> Any:
    """Return a new staged dict: `dict(values)`."""
    return _dict_of(values, "dict") if isinstance(values, StagedDict) else staged_dict(values)


def new_counter(values: Any) -> Any:
    """Return a new staged Counter: `Counter(values)`."""
    if isinstance(values, StagedDict):
        return _dict_of(values, "Counter")
    counts = staged_dict(Counter())
    counts.update(values)
    return counts


def factory_of(mapping: Any) -> str | None:
    """Return the name of what makes an empty dict like this one, or None if no staged dict can replace it."""
    if type(mapping) is defaultdict:
        name = getattr(mapping.default_factory, "__name__", "")
        return name if name in DICTS and mapping.default_factory in _FACTORIES else None
    return "dict" if type(mapping) is dict else "Counter" if type(mapping) is Counter else None


_FACTORIES = (int, float, bool, complex, list, set)


def can_be_dict(mapping: Any, *values: Any) -> bool:
    """Return whether a staged dict can replace a plain one and get more values.

    Its keys must have one type, and so must its values.
    """
    if factory_of(mapping) is None:
        return False
    items = [*mapping.values(), *values]
    for item in items:
        note_stored(item)
    if items and all(map(is_object, items)):
        items = []
    parts = [lists.list_type(part) for part in ([*mapping], items)]
    return all(part is not None and (part.element is None or is_plain(part.element)) for part in parts)


def dict_type(mapping: Any) -> DictType | None:
    """Return the type of a plain dict of numbers and text, or None for another one."""
    factory = factory_of(mapping)
    if factory is None or not can_be_dict(mapping) or any(map(is_object, mapping.values())):
        return None
    parts = [lists.list_type(part) for part in ([*mapping], [*mapping.values()])]
    pair = TupleType(tuple([part.element for part in parts]))  # type: ignore[union-attr,misc]
    return DictType(pair if mapping else None, factory)


def staged_dict(mapping: Any) -> Any:
    """Return a staged dict with the items of a plain one, or of a list of pairs."""
    if isinstance(mapping, StagedDict):
        return mapping
    if not isinstance(mapping, dict):
        items = mapping if isinstance(mapping, list) else active_backend().call_builtin(list, (mapping,), {})
        return _dict_of_pairs(items) if isinstance(items, list) else _dict_of(items, "dict")
    factory = factory_of(mapping)
    references.lose_items(mapping)
    if factory is None:
        raise StagingError(
            f"a {type(mapping).__name__} would get keys that are known only when the graph runs",
            why="a graph contains dicts, Counters, and defaultdicts of numbers, lists and sets",
            remedy="use one of these",
        )
    return _dict_of_pairs(mapping.items(), factory)


def _dict_of_pairs(items: Any, factory: str = "dict") -> Any:
    pairs = [(key_node(key), value_node(value)) for key, value in items]
    nodes = [add("tuple", pair, TupleType((pair[0].type, pair[1].type))) for pair in pairs]
    return _dict_of(lists.list_of(nodes, "a dict"), factory)


def _dict_of(items: Any, factory: str) -> Any:
    return record("dict_of", (items,), DictType(items.type.element, factory), factory=factory)


def check_size(keyed: Any, length: int, goes_on: Callable[[], Any] | None) -> None:
    """Raise Python's error if a set or dict has another size than at the start of the loop, which goes on."""
    backend: Any = active_backend()
    has_changed = lambda: backend.call_builtin(len, (keyed,), {}) != length  # noqa: E731 - read once
    changed = has_changed() if goes_on is None else backend.and_(goes_on(), has_changed)
    kind = "Set" if issubclass(keyed.python_class, set) else "dictionary"
    raise_if(backend, changed, RuntimeError(f"{kind} changed size during iteration"))


class KeyedConstructors:
    """The methods of the backend that create sets and dicts."""

    staged_set, staged_dict = staticmethod(staged_set), staticmethod(staged_dict)
    new_set, new_dict, new_counter = map(staticmethod, (new_set, new_dict, new_counter))
    can_be_dict, live_items = staticmethod(can_be_dict), staticmethod(live_items)
    viewed, check_size = staticmethod(viewed_containers), staticmethod(check_size)


register_class(DictType, StagedDict, "staged dict", "builtins.dict")
