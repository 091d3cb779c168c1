"""What the cache keeps of a region: how to call its machine code as JSON, and the code itself."""

from __future__ import annotations

import json
import struct
from typing import Any, TypeAlias

import numpy as np

from ..assembly.kinds import Kind
from ..codegen.bailouts import Checkpoint, Frame
from ..codegen.layout import Leaving, RegionCode
from .images import Image
from .keys import GraphText

Binary: TypeAlias = "bytes | Image"
"""An object file, or what has been linked."""
_LENGTH = struct.Struct("<Q")


def pack(code: RegionCode, binary: Binary, numbers: GraphText) -> bytes:
    """Return the bytes of an entry. Nodes and graphs are stored by their numbers."""
    node, graph = numbers.nodes, numbers.graphs
    checkpoints = [
        {
            "number": c.number,
            "frames": [[None if f.node is None else node[f.node], graph[f.graph], f.index] for f in c.frames],
            "index": c.index,
            "live": [node[n] for n in c.live],
            "counters": c.counters,
            "recreated": sorted(node[n] for n in c.recreated),
        }
        for c in code.checkpoints
    ]
    description = {
        "symbols": code.symbols,
        "words": code.words,
        "outputs": [_pack_value(v) for v in code.outputs],
        "checkpoints": checkpoints,
        "exits": [[number, [_pack_value(v) for v in values]] for number, values in code.exits.items()],
        "allocates": code.allocates,
        "uses_floats": code.uses_floats,
        "only_read": code.only_read,
    }
    image = None
    if isinstance(binary, Image):
        image, binary = [binary.slots, binary.functions], binary.data
    text = json.dumps([description, image]).encode()
    return _LENGTH.pack(len(text)) + text + binary


def unpack(entry: bytes, numbers: GraphText) -> tuple[RegionCode, Binary]:
    """Return how to call the machine code of an entry, and the code."""
    [length] = _LENGTH.unpack_from(entry)
    begin = _LENGTH.size
    description, image = json.loads(entry[begin : begin + length])
    nodes, graphs = list(numbers.nodes), list(numbers.graphs)
    description["outputs"] = [_unpack_value(v) for v in description["outputs"]]
    description["exits"] = {
        number: [_unpack_value(v) for v in values] for number, values in description["exits"]
    }
    description["only_read"] = tuple(description["only_read"])
    description["checkpoints"] = [
        Checkpoint(
            number=c["number"],
            frames=tuple([Frame(None if n is None else nodes[n], graphs[g], i) for n, g, i in c["frames"]]),
            index=c["index"],
            live=[nodes[n] for n in c["live"]],
            counters=[(level, name) for level, name in c["counters"]],
            recreated={nodes[n] for n in c["recreated"]},
        )
        for c in description["checkpoints"]
    ]
    binary = entry[begin + length :]
    return RegionCode(**description), binary if image is None else Image(binary, *image)


def _pack_value(value: Leaving) -> list[Any]:
    kind = value.kind
    dtype = None if kind is None or kind.dtype is None else kind.dtype.str
    packed = None if kind is None else [kind.llvm, kind.code, dtype]
    flags = value.is_list, value.is_maybe, value.is_optional
    return [packed, value.rank, value.source, *flags, value.shape, value.others]


def _unpack_value(value: list[Any]) -> Leaving:
    packed, rank, source, is_list, is_maybe, is_optional, shape, others = value
    kind = None
    if packed is not None:
        llvm, code, dtype = packed
        kind = Kind(llvm, code, None if dtype is None else np.dtype(dtype))
    return Leaving(kind, rank, source, is_list, is_maybe, is_optional, tuple(shape), tuple(others))
