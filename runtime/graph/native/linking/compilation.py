"""From the graph of a region to linked machine code, by way of the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....debugging.loggers import NATIVE
from ...ir.graph import Graph, Node
from ...ir.types import ArrayType
from ..assembly.statuses import Mode
from ..codegen.layout import RegionCode
from . import cache
from .calls import NativeCode
from .entries import pack, unpack
from .keys import GraphText, UnknownValueError, compiler_version
from .llvm import Library, object_code, target_name


def build(
    graph: Graph,
    mode: Mode,
    recover: Callable[..., tuple],
    targets: Sequence[ArrayType] = (),
    **options: bool,
) -> tuple[NativeCode, bool]:
    """Return the machine code of a region, and whether it was in the cache.

    The `options` are those of `compile_region`.

    Raises:
        UnsupportedError: an operation of the region cannot be compiled.
    """

    def generate() -> tuple[RegionCode, bytes]:
        from ..codegen.region import compile_region  # noqa: PLC0415 - not for what is in the cache

        text, code = compile_region(graph, mode, targets, **options)
        return code, object_code(text)

    settings = mode.name, str([*map(str, targets)]), str(sorted(options.items()))
    code, binary, is_cached = _cached(graph, settings, generate)
    parameters = [*graph.arguments, *(Node("argument", (), {}, t) for t in targets)]
    if options.get("keeps_arguments"):  # those of a user's call, who may pass an array without dimensions
        parameters = [Node("argument", (), {"may_vary": True}, a.type) for a in graph.arguments]
    return NativeCode(code, Library(binary, code.symbols), parameters, recover), is_cached


def _cached(
    graph: Graph, settings: Sequence[str], generate: Callable[[], tuple[RegionCode, bytes]]
) -> tuple[RegionCode, bytes, bool]:
    """Return the code of a region, its object code, and whether they were in the cache."""
    try:
        numbers = GraphText(graph)
        key = cache.key_of(numbers.text, *settings, compiler_version(), target_name())
    except UnknownValueError as error:
        NATIVE.debug("the machine code of %s is not kept: %r has no text", graph.name, *error.args)
        return *generate(), False
    entry = cache.load(key)
    if entry is not None:
        return *unpack(entry, numbers), True
    code, binary = generate()
    cache.store(key, pack(code, binary, numbers))
    return code, binary, False
