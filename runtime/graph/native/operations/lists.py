"""Python lists of numbers and arrays in machine code.

A list is written in place if it is owned, like an array. Arrays that are elements keep their blocks until the
region ends, since a list that is freed does not release them.
"""

from __future__ import annotations

from typing import Any

from ...ir.graph import Node
from ...ir.types import ListType
from ..assembly.kinds import INT, list_form
from ..assembly.memory import HEADER
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Array, List, Scalar, Tuple
from .reductions import ReductionEmitter

_FIRST_CAPACITY = 16


class ListEmitter(ReductionEmitter):
    """Emitter of operations on lists."""

    def list_value(self, node: Node) -> List:
        value = self.value(node)
        if not isinstance(value, List):
            raise UnsupportedError("an operation on this list is not compiled")
        return value

    def new_list(self, kind: Any, rank: int, capacity: str, length: str = "0") -> List:
        """Allocate a list."""
        self.allocates = True
        empty = List(kind, rank, "null", length, capacity)
        w = self.w
        size = w.mul(capacity, str(empty.element_size))
        block = w.op(f"call ptr @block_new(ptr %frame, i64 {size}, i1 false)")
        self.bail_if(w.op(f"icmp eq ptr {block}, null"))
        self.own_blocks.append(block)
        return List(kind, rank, w.offset(block, str(HEADER)), length, capacity, block)

    def copy_list(self, value: List) -> List:
        capacity = self.w.add(value.length, str(_FIRST_CAPACITY))
        copy = self.new_list(value.kind, value.rank, capacity, value.length)
        self._move(copy.address, value.address, self.w.mul(value.length, str(value.element_size)))
        return copy

    def _move(self, target: str, source: str, size: str) -> None:
        arguments = (("ptr", target), ("ptr", source), ("i64", size), ("i1", "false"))
        self.w.call("void", "llvm.memmove.p0.p0.i64", *arguments)

    def list_element(self, value: List, index: str, shape: tuple[int | None, ...] = ()) -> Scalar | Array:
        """Emit the element at an index that is in bounds. `shape` is what is known of it."""
        w = self.w
        if value.rank < 0:
            return Scalar(w.load(value.kind, w.element(value.kind, value.address, index)), value.kind)
        place = w.offset(value.address, w.mul(index, str(value.element_size)))
        block, address = w.op(f"load ptr, ptr {place}"), w.op(f"load ptr, ptr {w.offset(place, '8')}")
        dims = []
        for i, known in enumerate(shape or (None,) * value.rank):
            dim = w.op(f"load i64, ptr {w.offset(place, str(16 + 8 * i))}")
            if known is not None:
                self.bail_if(w.compare("ne", dim, str(known)))
            dims.append(dim if known is None else str(known))
        return Array(value.kind, address, tuple(dims), block)

    def _store_element(self, value: List, index: str, item: Any, node: Node) -> None:
        w = self.w
        if value.rank < 0:
            if not isinstance(item, Scalar):
                raise UnsupportedError("an array is an item of a list of numbers")
            if item.kind != value.kind:
                raise UnsupportedError("the items of a list have several types")
            item = self.settle(item)
            w.store(value.kind, item.register, w.element(value.kind, value.address, index))
            return
        item = self.contiguous(self.copyable(self.materialize(item), node))
        if item.kind != value.kind or len(item.dims) != value.rank:
            raise UnsupportedError("the items of a list have several types")
        self.share(node)
        self.retain(item.block)
        self.put_row(value, index, item)

    def put_row(self, value: List, index: str, item: Array) -> None:
        """Emit a store of an array in a list of arrays."""
        w = self.w
        place = w.offset(value.address, w.mul(index, str(value.element_size)))
        w.line(f"store ptr {item.block}, ptr {place}")
        w.line(f"store ptr {item.address}, ptr {w.offset(place, '8')}")
        for i, dim in enumerate(item.dims):
            w.line(f"store i64 {dim}, ptr {w.offset(place, str(16 + 8 * i))}")

    def copyable(self, value: Any, node: Node) -> Any:
        """Return the value of a node, of which a copy in one piece may take the place."""
        raise NotImplementedError

    def share(self, node: Node) -> None:
        """Note that a list now refers to an array."""
        raise NotImplementedError

    def writable_list(self, node: Node) -> List:
        """Return the first input of a node as a list that it may write to."""
        raise NotImplementedError

    # --- Operations -------------------------------------------------------------------------------

    def emit_list(self, node: Node) -> List:
        if not isinstance(node.type, ListType):
            raise UnsupportedError("this list is not compiled")
        kind = node.type if node.type.element is not None else self.expected_list_type(node)
        form, rank = list_form(kind)
        value = self.new_list(form, rank, str(len(node.inputs) + _FIRST_CAPACITY), str(len(node.inputs)))
        for i, item in enumerate(node.inputs):
            self._store_element(value, str(i), self.value(item), item)
        return value

    def expected_list_type(self, node: Node) -> ListType:
        """Return the type that an empty list gets later."""
        raise NotImplementedError

    def emit_list_copy(self, node: Node) -> List:
        return self.copy_list(self.list_value(node.inputs[0]))

    def emit_list_append(self, node: Node) -> List:
        value = self.writable_list(node)
        item = self.value(node.inputs[1])
        self.settle_all()
        w = self.w
        grown = self._grown(value)
        self._store_element(grown, value.length, item, node.inputs[1])
        self.wrote()
        length = w.op(f"add i64 {value.length}, 1")
        return List(value.kind, value.rank, grown.address, length, grown.capacity, grown.block)

    def _grown(self, value: List) -> List:
        """Return the list with room for another element."""
        w = self.w
        self.allocates = True
        parts = [w.alloca(t) for t in ("ptr", "i64", "ptr")]
        kinds = ("ptr", "i64", "ptr")
        for place, kind, part in zip(parts, kinds, (value.address, value.capacity, value.block), strict=True):
            w.line(f"store {kind} {part}, ptr {place}")
        full, following = w.fresh("full"), w.fresh("b")
        w.branch(w.op(f"icmp eq i64 {value.length}, {value.capacity}"), full, following)
        w.label(full)
        capacity = w.op(f"add i64 {w.op(f'shl i64 {value.capacity}, 1')}, {_FIRST_CAPACITY}")
        size = w.mul(capacity, str(value.element_size))
        block = w.op(f"call ptr @block_new(ptr %frame, i64 {size}, i1 false)")
        self.bail_if(w.op(f"icmp eq ptr {block}, null"))
        address = w.offset(block, str(HEADER))
        self._move(address, value.address, w.mul(value.length, str(value.element_size)))
        for place, kind, part in zip(parts, kinds, (address, capacity, block), strict=True):
            w.line(f"store {kind} {part}, ptr {place}")
        w.jump(following)
        w.label(following)
        address, capacity, block = (
            w.op(f"load {kind}, ptr {place}") for place, kind in zip(parts, kinds, strict=True)
        )
        # A new block has the reference that the old one keeps until its own scope ends.
        is_new = w.op(f"icmp ne ptr {block}, {value.block}")
        self.own_blocks.append(w.op(f"select i1 {is_new}, ptr {block}, ptr null"))
        return List(value.kind, value.rank, address, value.length, capacity, block)

    def _list_index(self, index: Node, value: List) -> str:
        number = self.convert(self.settle(self.scalar(index)), INT)
        register = number.register
        if number.interval[0] < 0:
            register = self.from_start(register, value.length)
        self.bail_if(self.w.op(f"icmp uge i64 {register}, {value.length}"))
        return register

    def emit_list_get(self, node: Node) -> Scalar | Array:
        value = self.list_value(node.inputs[0])
        index = self._list_index(node.inputs[1], value)
        return self.list_element(value, index, getattr(node.type, "shape", ()))

    def emit_list_set(self, node: Node) -> List:
        value = self.writable_list(node)
        index = self._list_index(node.inputs[1], value)
        item = self.value(node.inputs[2])
        self.settle_all()
        self._store_element(value, index, item, node.inputs[2])
        self.wrote()
        return value

    def emit_list_pop(self, node: Node) -> Tuple:
        value = self.writable_list(node)
        index = self._list_index(node.inputs[1], value)
        self.settle_all()
        element = getattr(node.inputs[0].type, "element", None)
        item = self.list_element(value, index, getattr(element, "shape", ()))
        w = self.w
        length = w.op(f"sub i64 {value.length}, 1")
        size = w.mul(w.op(f"sub i64 {length}, {index}"), str(value.element_size))
        place = w.offset(value.address, w.mul(index, str(value.element_size)))
        self._move(place, w.offset(place, str(value.element_size)), size)
        self.wrote()
        return Tuple((List(value.kind, value.rank, value.address, length, value.capacity, value.block), item))
