"""Items that an iteration reads after the iteration before has written them, as in `a[i] = a[i - 1] + b[i]`.

They are carried in registers beside the array: to load what has just been stored takes longer than most
operations, and LLVM does so wherever the loop may be left between the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from ...ir.graph import Node, Slot
from ...ir.subgraphs import Loop
from ...ir.types import ArrayType
from ..assembly.values import Array, Range
from .loop_facts import offset_from

if TYPE_CHECKING:
    from ..assembly.memory import MemoryEmitter


@dataclass
class Recurrence:
    """A carried array of which each iteration writes one item.

    Attributes:
        index: the number of the carried array.
        write: the node that writes the item.
        axis: the axis along which the iterations move.
        offset: what the index of the item adds to the element of the loop's range.
        step: the step of the range.
        reads: those of the item that the iteration before wrote, of the one before that, ...
    """

    index: int
    write: Node
    axis: int
    offset: int
    step: int
    reads: list[list[Node]]


def recurrences(emitter: MemoryEmitter, loop: Loop, source: Any) -> Iterator[Recurrence]:
    """Yield the recurrences of a loop over a range, whose reads are known to be in bounds."""
    if not isinstance(source, Range) or not source.step.register.lstrip("-").isdigit():
        return
    [element] = loop.elements
    step = int(source.step.register)
    nodes = loop.body.nodes
    for index, (argument, result) in enumerate(zip(loop.carried, loop.results, strict=True)):
        if result.op != "setitem" or result.inputs[0] is not argument:
            continue
        place = _place(result, loop, element)
        if place is None:
            continue
        axis, offset, rest = place
        lags: dict[int, list[Node]] = {}
        for node in nodes[: nodes.index(result)]:
            if node.op == "getitem" and node.inputs[0] is argument and not node.attrs.get("kwargs"):
                read = _place(node, loop, element)
                is_safe = emitter.unsafe_indices.get((node, axis)) == "false"
                if is_safe and read is not None and (read[0], read[2]) == (axis, rest):
                    lag, remainder = divmod(offset - read[1], step)
                    if not remainder:
                        lags.setdefault(lag, []).append(node)
        reads = [lags[lag] for lag in takewhile(lags.__contains__, count(1))]
        if reads:
            yield Recurrence(index, result, axis, offset, step, reads)


def _place(item: Node, loop: Loop, element: Node) -> tuple[int, int, list[Any]] | None:
    """Return the axis and the offset of the index that follows the loop, and the other indices.

    These must be constants, or numbers from outside of the loop. There is one index for each axis.
    """
    kind = item.inputs[0].type
    key = item.attrs["args"][1] if item.op == "getitem" else item.attrs["key"]
    parts = key if type(key) is tuple else (key,)
    if not isinstance(kind, ArrayType) or len(parts) != len(kind.shape):
        return None
    found: tuple[int, int] | None = None
    rest: list[Any] = []
    for axis, part in enumerate(parts):
        number = item.inputs[part.index] if isinstance(part, Slot) else part
        offset = offset_from(number, element) if isinstance(number, Node) else None
        if offset is not None and found is None:
            found = axis, offset
        elif type(number) is int or number in loop.captured:
            rest.append(number)
        else:
            return None
    return None if found is None else (*found, rest)


def load_first(emitter: MemoryEmitter, found: Recurrence, initial: Array, source: Range) -> None:
    """Emit the loads of the items that the first iterations read. The loop runs at least once."""
    w, places = emitter.w, []
    verified = set(emitter.verified)
    for lag, reads in enumerate(found.reads, 1):
        node = reads[0]
        key = node.attrs["args"][1]
        indices = []
        for axis, part in enumerate(key if type(key) is tuple else (key,)):
            if axis == found.axis:
                indices.append(w.add(source.start.register, str(found.offset - lag * found.step)))
            else:
                indices.append(emitter.index(part, initial.dims[axis], node.inputs))
        place = w.alloca(initial.kind.llvm)
        first = emitter.load_element(initial, tuple(indices))
        w.line(f"store {initial.kind.llvm} {first.register}, ptr {place}")
        places.append(place)
        emitter.carried_items.update(dict.fromkeys(reads, place))
    emitter.written_items[found.write] = places
    emitter.verified = verified  # what follows the loop runs without it, too
