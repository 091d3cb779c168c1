"""From the graph of a region to linked machine code, by way of the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....debugging.loggers import NATIVE
from ...ir.graph import Graph, Node
from ...ir.types import ArrayType
from ..assembly.statuses import Mode, UnsupportedError
from ..codegen.layout import FUNCTIONS, SHARED_FUNCTIONS, RegionCode
from . import cache
from .calls import NativeCode
from .entries import Binary, pack, unpack
from .images import Image, LoadedImage, link
from .keys import GraphText, UnknownValueError, compiler_version, target_name


class Build:
    """How the machine code of a region is made. The `options` are those of `compile_region`."""

    def __init__(
        self,
        graph: Graph,
        mode: Mode,
        recover: Callable[..., tuple],
        targets: Sequence[ArrayType] = (),
        **options: bool,
    ):
        self._graph, self._mode, self._recover = graph, mode, recover
        self._targets, self._options = targets, options
        self._numbers: GraphText | None = None
        self._key = ""
        try:
            self._numbers = GraphText(graph)
            settings = mode.name, str([*map(str, targets)]), str(sorted(options.items()))
            self._key = cache.key_of(self._numbers.text, *settings, compiler_version(), target_name())
        except UnknownValueError as error:
            NATIVE.debug("the machine code of %s is not kept: %r has no text", graph.name, *error.args)

    def load(self, *, without_llvm: bool = False) -> NativeCode | None:
        """Return the machine code that the cache has, or None. `without_llvm` takes a millisecond."""
        entry = cache.load(self._key) if self._key and self._numbers is not None else None
        if entry is None or self._numbers is None:
            return None
        code, binary = unpack(entry, self._numbers)
        if without_llvm and not isinstance(binary, Image):
            return None
        try:
            return self._linked(code, binary)
        except OSError:
            return None

    def compile(self) -> NativeCode:
        """Return new machine code, and keep it in the cache.

        Raises:
            UnsupportedError: an operation of the region cannot be compiled, or the system forbids to run it.
        """
        from ..codegen.region import compile_region  # noqa: PLC0415 - not for what is in the cache
        from .llvm import object_code  # noqa: PLC0415

        text, code = compile_region(self._graph, self._mode, self._targets, **self._options)
        file = object_code(text)
        binary: Binary = link(file, FUNCTIONS + SHARED_FUNCTIONS) or file
        if self._key and self._numbers is not None:
            cache.store(self._key, pack(code, binary, self._numbers))
        try:
            return self._linked(code, binary)
        except OSError as error:
            raise UnsupportedError(f"machine code cannot be loaded: {error}") from error

    def _linked(self, code: RegionCode, binary: Binary) -> NativeCode:
        parameters = [*self._graph.arguments, *(Node("argument", (), {}, t) for t in self._targets)]
        if self._options.get("keeps_arguments"):  # of a user's call, who may pass an array without dimensions
            parameters = [Node("argument", (), {"may_vary": True}, a.type) for a in self._graph.arguments]
        if isinstance(binary, Image):
            return NativeCode(code, LoadedImage(binary), parameters, self._recover)
        from .llvm import Library  # noqa: PLC0415

        return NativeCode(code, Library(binary, code.symbols), parameters, self._recover)
