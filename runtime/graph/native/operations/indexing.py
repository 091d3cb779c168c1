"""Items that arrays select: masks and arrays of indices."""

from __future__ import annotations

from typing import Any

from ...ir.graph import Node, Slot
from ..assembly.kinds import Kind
from ..assembly.statuses import UnsupportedError
from ..assembly.values import Access, Array, Expression, Scalar
from .lists import ListEmitter


class IndexingEmitter(ListEmitter):
    """Emitter of items by arrays."""

    def _array_key(self, key: Any, node: Node) -> Array | None:
        """Return the array that is the whole key of an item, or None for another key."""
        if not isinstance(key, Slot):
            return None
        value = self.value(node.inputs[key.index])
        return self.materialize(value) if isinstance(value, (Array, Expression)) else None

    def emit_getitem(self, node: Node) -> Any:
        key = node.attrs["args"][1]
        selector = self._array_key(key, node)
        if selector is None:
            return super().emit_getitem(node)
        array = self.contiguous(self.array(node.inputs[0]))
        if selector.kind.code == "b":
            return self._masked(array, selector)
        return self._taken(array, selector)

    def _masked(self, array: Array, mask: Array) -> Array:
        """Emit the elements or rows where a mask is true."""
        w, rank = self.w, len(mask.dims)
        for size, dim in zip(mask.dims, array.dims, strict=False):
            self.bail_if(w.compare("ne", size, dim))
        mask = self.contiguous(mask)
        count = self._count_true(mask)
        rest = array.dims[rank:]
        result = self.new_array(array.kind, (count, *rest))
        row = w.mul(self.element_count(rest), str(array.kind.size))
        place = w.alloca("i64")
        w.line(f"store i64 0, ptr {place}")

        def body(i: str) -> None:
            chosen, following = w.fresh("chosen"), w.fresh("b")
            w.branch(w.load(mask.kind, w.offset(mask.address, i)), chosen, following)
            w.label(chosen)
            done = w.op(f"load i64, ptr {place}")
            self.copy_row(
                array.kind, w.offset(result.address, w.mul(done, row)),
                w.offset(array.address, w.mul(i, row)), rest,
            )  # fmt: skip
            w.line(f"store i64 {w.op(f'add i64 {done}, 1')}, ptr {place}")
            w.jump(following)
            w.label(following)

        self.counted(self.element_count(mask.dims), body)
        return result

    def copy_row(self, kind: Kind, target: str, source: str, dims: tuple[str, ...]) -> None:
        """Emit the copy of contiguous elements."""
        w = self.w
        if not dims:
            w.line(f"store {kind.memory} {w.op(f'load {kind.memory}, ptr {source}')}, ptr {target}")
            return
        self.copy_bytes(target, source, w.mul(self.element_count(dims), str(kind.size)))

    def copy_bytes(self, target: str, source: str, size: str) -> None:
        """Emit the copy of bytes between places that do not overlap."""
        arguments = (("ptr", target), ("ptr", source), ("i64", size), ("i1", "false"))
        self.w.call("void", "llvm.memcpy.p0.p0.i64", *arguments)

    def _count_true(self, mask: Array) -> str:
        w, place = self.w, self.w.alloca("i64")
        w.line(f"store i64 0, ptr {place}")

        def body(i: str) -> None:
            value = w.load(mask.kind, w.offset(mask.address, i))
            total = w.op(f"add i64 {w.op(f'load i64, ptr {place}')}, {w.op(f'zext i1 {value} to i64')}")
            w.line(f"store i64 {total}, ptr {place}")

        self.counted(self.element_count(mask.dims), body)
        return w.op(f"load i64, ptr {place}")

    def _taken(self, array: Array, indices: Array) -> Array:
        """Emit the elements or rows at the indices of an array."""
        w, rest = self.w, array.dims[1:]
        indices = self.contiguous(indices)
        result = self.new_array(array.kind, (*indices.dims, *rest))
        row = w.mul(self.element_count(rest), str(array.kind.size))

        def body(i: str) -> None:
            index = self._element_index(indices, i, array.dims[0])
            self.copy_row(
                array.kind, w.offset(result.address, w.mul(i, row)),
                w.offset(array.address, w.mul(index, row)), rest,
            )  # fmt: skip

        self.counted(self.element_count(indices.dims), body)
        return result

    def _element_index(self, indices: Array, i: str, dim: str) -> str:
        """Emit an element of an array of indices. Bail out if it is out of bounds."""
        w, kind = self.w, indices.kind
        if kind.code != "i" and not (kind.code == "u" and kind.bits < 64):
            raise UnsupportedError("an array of indices is not of a signed integer dtype")
        index = w.load(kind, w.element(kind, indices.address, i))
        if kind.bits < 64:
            index = w.op(f"{'sext' if kind.code == 'i' else 'zext'} {kind.llvm} {index} to i64")
        index = self.from_start(index, dim)
        self.bail_if(w.op(f"icmp uge i64 {index}, {dim}"))
        return index

    def emit_setitem(self, node: Node) -> Array:
        selector = self._array_key(node.attrs["key"], node)
        if selector is None:
            return super().emit_setitem(node)
        value = self.value(node.inputs[-1])
        target = self.array(node.inputs[0])
        if not isinstance(value, Scalar) or selector.kind.code != "b" or selector.dims != target.dims:
            raise UnsupportedError("this assignment by an array of indices is not compiled")
        selector = self.contiguous(selector)
        target = self.writable(node)
        number = self.settle(self.convert(self.settle(value), target.kind))
        self.settle_all()
        w = self.w

        def emit(access: Access) -> None:
            position = access.position or "0"
            place = w.element(target.kind, target.address, position)
            old = w.load(target.kind, place)
            chosen = w.load(selector.kind, w.offset(selector.address, position))
            llvm = target.kind.llvm
            new = w.op(f"select i1 {chosen}, {llvm} {number.register}, {llvm} {old}")
            w.store(target.kind, new, place)

        self.each_element(target.dims, emit, flat=True)
        self.wrote()
        return target

    def emit_add_at(self, node: Node) -> Array:
        """Emit `target[key] += value` for an element."""
        target = self.array(node.inputs[0])
        place = self.view(target, node.attrs["key"], node)
        value = self.value(node.inputs[-1])
        if not isinstance(place, str) or not isinstance(value, Scalar):
            raise UnsupportedError("an addition to several items is not compiled")
        old = Scalar(self.w.load(target.kind, place), target.kind)
        total = self.settle(self.binary("add", old, self.settle(value), target.kind))
        target = self.writable(node)
        place = self.view(target, node.attrs["key"], node)
        self.settle_all()
        assert isinstance(place, str)
        self.w.store(target.kind, total.register, place)
        self.wrote()
        return target
