"""Memory in machine code: blocks that a region allocates, element addresses, views.

A *block* has a reference count and stands in a list that begins in the frame, so that whatever happens, all
blocks can be freed after the call. Each graph that runs owns the blocks that it allocates, and releases them
at its end; a value that leaves the graph has a reference of its own. Released blocks of one size are kept in
the frame for the next ones of that size, since an iteration mostly allocates what the one before released.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ...ir.graph import Node, Slot
from ...ir.op_properties import has_ellipsis
from .kinds import INT, Kind
from .scalars import ScalarEmitter
from .statuses import Mode, UnsupportedError
from .values import Access, Array, Scalar

MAX_DIMENSION = 2**47  # as many bytes as processors address
HEADER = 32  # bytes: next block, previous block, references, size
_MOST_KEPT = 2**20  # bytes of a block
PRELUDE = f"""
define internal ptr @block_new(ptr %frame, i64 %size, i1 %zeroed) {{
  %kept_place = getelementptr i8, ptr %frame, i64 8
  %kept = load ptr, ptr %kept_place
  %none = icmp eq ptr %kept, null
  br i1 %none, label %new, label %compare
compare:
  %kept_size_place = getelementptr i8, ptr %kept, i64 24
  %kept_size = load i64, ptr %kept_size_place
  %fits = icmp eq i64 %kept_size, %size
  br i1 %fits, label %reuse, label %new
reuse:
  %following = load ptr, ptr %kept
  store ptr %following, ptr %kept_place
  br i1 %zeroed, label %clear, label %link
clear:
  %data = getelementptr i8, ptr %kept, i64 {HEADER}
  call void @llvm.memset.p0.i64(ptr %data, i8 0, i64 %size, i1 false)
  br label %link
new:
  %all = add i64 %size, {HEADER}
  br i1 %zeroed, label %zero, label %plain
zero:
  %a = call ptr @calloc(i64 %all, i64 1)
  br label %made
plain:
  %b = call ptr @malloc(i64 %all)
  br label %made
made:
  %c = phi ptr [ %a, %zero ], [ %b, %plain ]
  %failed = icmp eq ptr %c, null
  br i1 %failed, label %failure, label %sized
failure:
  ret ptr null
sized:
  %size_place = getelementptr i8, ptr %c, i64 24
  store i64 %size, ptr %size_place
  br label %link
link:
  %block = phi ptr [ %c, %sized ], [ %kept, %reuse ], [ %kept, %clear ]
  %first = load ptr, ptr %frame
  store ptr %first, ptr %block
  %previous = getelementptr i8, ptr %block, i64 8
  store ptr null, ptr %previous
  %references = getelementptr i8, ptr %block, i64 16
  store i64 1, ptr %references
  store ptr %block, ptr %frame
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %end, label %back
back:
  %place = getelementptr i8, ptr %first, i64 8
  store ptr %block, ptr %place
  br label %end
end:
  ret ptr %block
}}
define internal void @block_retain(ptr %block) {{
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %some
some:
  %place = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %place
  %more = add i64 %count, 1
  store i64 %more, ptr %place
  br label %end
end:
  ret void
}}
define internal void @block_release(ptr %frame, ptr %block) {{
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %some
some:
  %place = getelementptr i8, ptr %block, i64 16
  %count = load i64, ptr %place
  %less = sub i64 %count, 1
  store i64 %less, ptr %place
  %dead = icmp eq i64 %less, 0
  br i1 %dead, label %unlink, label %end
unlink:
  %next = load ptr, ptr %block
  %previous_place = getelementptr i8, ptr %block, i64 8
  %previous = load ptr, ptr %previous_place
  %is_first = icmp eq ptr %previous, null
  %target = select i1 %is_first, ptr %frame, ptr %previous
  store ptr %next, ptr %target
  %is_last = icmp eq ptr %next, null
  br i1 %is_last, label %unlinked, label %back
back:
  %back_place = getelementptr i8, ptr %next, i64 8
  store ptr %previous, ptr %back_place
  br label %unlinked
unlinked:
  %size_place = getelementptr i8, ptr %block, i64 24
  %size = load i64, ptr %size_place
  %kept_place = getelementptr i8, ptr %frame, i64 8
  %kept = load ptr, ptr %kept_place
  %large = icmp ugt i64 %size, {_MOST_KEPT}
  br i1 %large, label %free, label %small
small:
  %none_kept = icmp eq ptr %kept, null
  br i1 %none_kept, label %keep, label %compare
compare:
  %kept_size_place = getelementptr i8, ptr %kept, i64 24
  %kept_size = load i64, ptr %kept_size_place
  %fits = icmp eq i64 %kept_size, %size
  br i1 %fits, label %keep, label %free
keep:
  store ptr %kept, ptr %block
  store ptr %block, ptr %kept_place
  br label %end
free:
  call void @free(ptr %block)
  br label %end
end:
  ret void
}}
define internal void @free_list(ptr %list) {{
  br label %loop
loop:
  %block = load ptr, ptr %list
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %free
free:
  %next = load ptr, ptr %block
  store ptr %next, ptr %list
  call void @free(ptr %block)
  br label %loop
end:
  ret void
}}
define void @release_all(ptr %frame) {{
  call void @free_list(ptr %frame)
  %kept_place = getelementptr i8, ptr %frame, i64 8
  call void @free_list(ptr %kept_place)
  ret void
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
"""


class MemoryEmitter(ScalarEmitter):
    """Emitter of accesses to arrays."""

    values: dict[Node, Any]

    def __init__(self, mode: Mode) -> None:
        super().__init__(mode)
        self.verified: set[tuple[str, str]] = set()
        """Pairs of an index and a dimension that it is known to be below."""
        self.unsafe_indices: dict[tuple[Node, int], str] = {}
        """For items and their axes, whether the index may be out of bounds, as known before the loop."""
        self.carried_items: dict[Node, str] = {}
        """For reads of items that an earlier iteration has written, the place that has them, too."""
        self.written_items: dict[Node, list[str]] = {}
        """For writes of such items, the places for those of the last iterations, the newest first."""
        self.input_dims: set[str] = set()
        self.least_dims: dict[str, int] = {}
        """The smallest values of dimensions of inputs with which the region may run."""
        self.allocates = False
        self.own_blocks: list[str] = []  # of the current graph

    def new_array(self, kind: Kind, dims: tuple[str, ...], *, zeroed: bool = False) -> Array:
        """Allocate a C-contiguous array."""
        self.allocates = True
        w = self.w
        size = self._checked_size(dims, kind)
        block = w.op(f"call ptr @block_new(ptr %frame, i64 {size}, i1 {'true' if zeroed else 'false'})")
        self.bail_if(w.op(f"icmp eq ptr {block}, null"))
        self.own_blocks.append(block)
        return Array(kind, w.offset(block, str(HEADER)), dims, block, root=block)

    def _checked_size(self, dims: tuple[str, ...], kind: Kind) -> str:
        """Emit the number of bytes of an array. Bail out if it is too large for NumPy."""
        size = math.prod(int(d) for d in dims if d.isdigit()) * kind.size
        unknown = [d for d in dims if not d.isdigit()]
        if size > MAX_DIMENSION:
            raise UnsupportedError("an array is too large")
        product = str(size)
        for dim in unknown:  # each is at most MAX_DIMENSION, so that the first product with a small size fits
            pair = self.w.call("{i64, i1}", "llvm.umul.with.overflow.i64", ("i64", product), ("i64", dim))
            product = self.w.op(f"extractvalue {{i64, i1}} {pair}, 0")
            self.bail_if(self.w.op(f"extractvalue {{i64, i1}} {pair}, 1"))
        return product

    def retain(self, block: str) -> None:
        if block != "null":
            self.w.line(f"call void @block_retain(ptr {block})")

    def release(self, block: str) -> None:
        if block != "null":
            self.w.line(f"call void @block_release(ptr %frame, ptr {block})")

    def element_count(self, dims: tuple[str, ...]) -> str:
        if all(d.isdigit() for d in dims):
            return str(math.prod(map(int, dims)))
        count = "1"
        for dim in dims:
            count = self.w.mul(count, dim)
        return count

    def strides(self, array: Array) -> tuple[str, ...]:
        """Return the distances in bytes between elements along each axis."""
        if array.strides is not None:
            return array.strides
        strides, distance = [], str(array.kind.size)
        for dim in reversed(array.dims):
            strides.append(distance)
            distance = self.w.mul(distance, dim)
        return tuple(reversed(strides))

    def step(self, array: Array, axis: int, index: str, address: str) -> str:
        """Emit the address so many steps along an axis from an address in an array."""
        if array.strides is not None:
            return self.w.offset(address, self.w.mul(index, array.strides[axis]))
        count = self.element_count(array.dims[axis + 1 :])
        return self.w.element(array.kind, address, self.w.mul(index, count))

    def element_address(self, array: Array, indices: tuple[str, ...]) -> str:
        address = array.address
        for axis, index in enumerate(indices):
            address = self.step(array, axis, index, address)
        return address

    def address_at(self, array: Array, access: Access) -> str:
        """Emit the address of the element that a loop over arrays has reached."""
        if access.position is not None and array.strides is None:
            return self.w.element(array.kind, array.address, access.position)
        return self.element_address(array, access.indices)

    def load_element(self, array: Array, indices: tuple[str, ...]) -> Scalar:
        return Scalar(self.w.load(array.kind, self.element_address(array, indices)), array.kind)

    # --- Keys -------------------------------------------------------------------------------------

    def view(self, array: Array, key: Any, node: Node) -> Array | str:
        """Return the address of the element that a key selects, or the view."""
        inputs = node.inputs
        parts = key if type(key) is tuple else (key,)
        if has_ellipsis(parts):
            position = next(i for i, part in enumerate(parts) if part is Ellipsis)
            used = sum(part is not None for part in parts) - 1
            missing = (slice(None),) * (len(array.dims) - used)
            parts = (*parts[:position], *missing, *parts[position + 1 :])
            if not any(isinstance(p, slice) for p in parts):
                raise UnsupportedError("a key with an ellipsis that selects a 0-d array is not compiled")
        address, axis = array.address, 0
        dims: list[str] = []
        steps: list[str] = []
        strides = self.strides(array)
        for part in parts:
            if part is None:
                dims.append("1")
                steps.append("0")
                continue
            dim = array.dims[axis]
            if isinstance(part, slice):
                start, length = self._slice(part, dim, inputs)
                dims.append(length)
                steps.append(strides[axis])
            else:
                start = self.index(part, dim, inputs, self.unsafe_indices.get((node, axis), "true"))
            address = self.step(array, axis, start, address)
            axis += 1
        if not dims and axis == len(array.dims):
            return address
        is_row = array.strides is None and all(not isinstance(p, slice) and p is not None for p in parts)
        dims += array.dims[axis:]
        steps += strides[axis:]
        return replace(array, address=address, dims=tuple(dims), strides=None if is_row else tuple(steps))

    def _key_integer(self, part: Any, inputs: tuple[Node, ...]) -> Scalar:
        value = self.values[inputs[part.index]] if isinstance(part, Slot) else part
        if isinstance(value, Scalar):
            if value.kind.code not in "iu" or (value.kind.code == "u" and value.kind.bits == 64):
                raise UnsupportedError("an index is not a signed integer")
            w = self.w
            if value.kind.bits < 64:
                op = "sext" if value.kind.code == "i" else "zext"
                register = w.op(f"{op} {value.kind.llvm} {value.register} to i64")
                return Scalar(register, INT, constant=value.constant, bounds=value.interval)
            return value
        if type(value) is bool or not hasattr(value, "__index__"):
            raise UnsupportedError("this key is not compiled: only integers and slices are")
        return self.constant(int(value), INT)

    def index(self, part: Any, dim: str, inputs: tuple[Node, ...], is_unsafe: str = "true") -> str:
        """Emit an index as a distance from the first element. Bail out if it is out of bounds.

        It is not unless `is_unsafe` holds, a register or literal.
        """
        w, index = self.w, self._key_integer(part, inputs)
        register, (low, high) = index.register, index.interval
        if dim.isdigit():
            if index.constant is not None:
                position = index.constant + int(dim) * (index.constant < 0)
                if not 0 <= position < int(dim):
                    raise UnsupportedError("an index is out of bounds")
                return str(position)
            if low >= 0 and high < int(dim):
                self.flush()
                return register
        if high < 0:
            register = w.op(f"add i64 {register}, {dim}")
        elif low < 0:
            register = self.from_start(register, dim)
        if index.constant is not None and low >= 0 and dim in self.input_dims:
            self.least_dims[dim] = max(self.least_dims.get(dim, 0), high + 1)
        elif (register, dim) not in self.verified:
            if is_unsafe != "false":
                beyond = w.op(f"icmp uge i64 {register}, {dim}")
                self.bail_if(beyond if is_unsafe == "true" else w.op(f"and i1 {is_unsafe}, {beyond}"))
            if low >= 0:
                self.verified.add((register, dim))
        if isinstance(part, Slot) and self.values[inputs[part.index]] is index:  # of 64 bits
            bounds = max(low, -MAX_DIMENSION), min(high, MAX_DIMENSION - 1)
            self.values[inputs[part.index]] = replace(index, bounds=bounds)
        return register

    def from_start(self, register: str, dim: str) -> str:
        """Emit an index that, where negative, counts from the end, as one that counts from the start."""
        wrapped = self.w.op(f"add i64 {register}, {dim}")
        is_negative = self.w.op(f"icmp slt i64 {register}, 0")
        return self.w.op(f"select i1 {is_negative}, i64 {wrapped}, i64 {register}")

    def _slice(self, part: slice, dim: str, inputs: tuple[Node, ...]) -> tuple[str, str]:
        """Return the first index and the length of a slice."""
        if part.step not in (None, 1):
            raise UnsupportedError("slices with a step are not compiled")
        if part.start is None and part.stop is None:
            return "0", dim
        start = "0" if part.start is None else self._clip(part.start, dim, inputs)
        stop = dim if part.stop is None else self._clip(part.stop, dim, inputs)
        if start == "0":
            return start, stop
        if start.isdigit() and stop.isdigit():
            return start, str(max(0, int(stop) - int(start)))
        length = self.w.op(f"sub i64 {stop}, {start}")
        return start, self.w.call("i64", "llvm.smax.i64", ("i64", length), ("i64", "0"))

    def _clip(self, bound: Any, dim: str, inputs: tuple[Node, ...]) -> str:
        w, value = self.w, self._key_integer(bound, inputs)
        if value.constant is not None and dim.isdigit():
            return str(slice(value.constant, None).indices(int(dim))[0])
        register = value.register
        if value.constant is None or value.constant < 0:
            register = self.from_start(register, dim)
        register = w.call("i64", "llvm.smax.i64", ("i64", register), ("i64", "0"))
        return w.call("i64", "llvm.smin.i64", ("i64", register), ("i64", dim))
