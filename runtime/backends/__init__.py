"""Tensor systems: what one must say of itself, and how the one that owns a value is found.

A *backend* is asked by type, through one dictionary; a type that no backend owns is plain. Names,
structures, promotion between branches and unbound variables are the business of
`autograph_rs.runtime.staging`, once for all backends. A backend with the attribute `announces` enters
itself in `ACTIVE` while it stages; one without is asked about every value.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from .. import staging
from ..active import ACTIVE, active
from ..boundary import public
from ..errors import ArgumentError, told
from ..tracebacks import user_stacklevel

Leaf: TypeAlias = Any
Type: TypeAlias = Any
OwnCapture: TypeAlias = Any
"""A `Capture` that the very backend made to which it is given."""


class Capture(Protocol):
    """One closure, run once with staged arguments.

    `value` is what the closure returned, `raised` the exception that it raised with a `raise` or
    `assert` of its own, `writes` the staged values outside it that it changed in place, each with
    the value that it leaves there.
    """

    value: Any
    raised: BaseException | None
    writes: list[tuple[Any, Leaf]]


@runtime_checkable
class Backend(Protocol):
    """How one tensor system spells conditions and loops.

    `type_of` gives the system's own description of a value (dtype, shape, ...), or None for a value
    that it can't stage; `is_handle` tells whether a value can be written in place; `merge` gives the
    description of a value that may be either of two, or raises `TypeError` with the reason.

    A backend may have more, which is asked for where it is needed: the attribute `announces` (see
    above), `staged_list(values)` for lists whose length depends on staged values, `bound(value)` to
    check a value that may be unbound where it is read, `replaced(function)` for what it has in the place
    of a builtin that is not in our tables, `unpacked(value)` for what Python iterates when a value is
    taken apart, `in_branch()` to tell whether the code of a branch or a loop's body is running,
    `entered()` for a context manager around the outermost converted function, `is_inner(value)` to tell
    whether a value was made in one that has ended, the attribute `draws` where random numbers of Python and
    NumPy are drawn when its program runs, `is_given(value)` to tell whether an argument of the traced
    function is the caller's own, `loop_options` for the names of options of its own that
    `set_loop_options` may be given.
    """

    name: str

    def owns(self, kind: type) -> bool: ...
    def is_staged(self, value: Any) -> bool: ...
    def staging(self) -> bool: ...
    def type_of(self, value: Leaf) -> Type | None: ...
    def is_handle(self, value: Leaf) -> bool: ...
    def merge(self, first: Type, second: Type) -> Type: ...
    def unbound(self, held: Type, name: str) -> Type: ...
    def capture(self, run: Callable[..., Any], arguments: Sequence[Type] = ()) -> Capture: ...
    def cond(
        self, pred: Leaf, captures: tuple[OwnCapture, OwnCapture], outputs: Sequence[tuple[Leaf, Leaf, Type]]
    ) -> list[Leaf]: ...
    def while_loop(
        self,
        going: Leaf,
        init: Sequence[Leaf],
        types: Sequence[Type],
        body: OwnCapture,
        again: Leaf,
        results: Sequence[Leaf],
        options: dict[str, Any],
    ) -> list[Leaf]: ...
    def for_loop(
        self,
        iterated: Any,
        going: Leaf,
        init: Sequence[Leaf],
        types: Sequence[Type],
        body: OwnCapture,
        again: Leaf,
        results: Sequence[Leaf],
        options: dict[str, Any],
    ) -> list[Leaf]: ...
    def call_builtin(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any: ...
    def get_item(self, target: Any, key: Any) -> Any: ...
    def set_item(self, target: Any, key: Any, value: Any) -> Any: ...
    def contains(self, item: Any, container: Any) -> Any: ...
    def fmt(self, value: Leaf, conversion: str) -> Any: ...
    def text(self, text: str) -> Any: ...
    def assert_(self, test: Leaf, msg: Callable[[], Any] | None) -> None: ...
    def elements(self, iterated: Any) -> tuple[Any, Sequence[Type]]: ...
    def and_(self, left: Leaf, right: Callable[[], Any]) -> Any: ...
    def or_(self, left: Leaf, right: Callable[[], Any]) -> Any: ...
    def not_(self, value: Leaf) -> Any: ...


MAX_TYPES = 100
_len = len  # a program may put one of its own in the place of the builtin, which calls converted code


class Shared:
    """The base of what stands for staged things in several systems: it belongs to the one that stages now."""


class _Table(dict[type, "Backend | None"]):
    """From a type to the backend that owns it."""

    def __missing__(self, kind: type) -> Backend | None:
        if issubclass(kind, Shared):
            return active()
        load_backends()
        if _is_of_a_package(kind):
            _load_installed()
        found = next((b for b in _backends if b.owns(kind)), None)
        if _len(self) >= MAX_TYPES:
            self.clear()  # so that classes that a program drops are not kept
        self[kind] = found
        return found


_backends: list[Backend] = []
_lock = threading.Lock()
BACKENDS = _Table()
STAGING: list[Callable[[], bool]] = []
COMPILING: list[Callable[[], bool]] = []
"""Whether a compiler of bytecode is reading what runs: it takes Python as it is written."""


@public
def register_backend(backend: Backend) -> None:
    """Make a tensor system known. The latest registered is asked first.

    Raises:
        ArgumentError: `backend` lacks a method of `Backend`, or is a class.

    >>> register_backend(object())
    Traceback (most recent call last):
        ...
    autograph_rs.ArgumentError: an object is no backend
      ...
      it lacks name, ...
    """
    if isinstance(backend, type):
        raise ArgumentError(
            f"{told(backend)} is no backend, which is an object",
            why="its methods are asked of the object that is given",
            remedy=f"give {backend.__name__}()",
        )
    if not isinstance(backend, Backend):
        missing = [n for n in Backend.__annotations__ if not hasattr(backend, n)]
        missing += [n for n in vars(Backend) if not n.startswith("_") and not hasattr(backend, n)]
        raise ArgumentError(
            f"{told(backend)} is no backend",
            why="converted code calls what a backend says of conditions and loops",
            remedy="define what it lacks: docs/backends.md says what each is for",
            rows=[f"it lacks {', '.join(missing)}"],
        )
    with _lock:
        _backends.insert(0, backend)
        if not getattr(backend, "announces", False):
            ACTIVE.insert(0, backend)
        STAGING.append(backend.staging)
        BACKENDS.clear()
    staging.load()
    from .. import log  # noqa: PLC0415 - code that nothing stages needs no log

    log.BACKENDS.debug("the backend %r is registered", backend.name)


_KNOWN = {"jax": "jax", "tensorflow": "tensorflow", "torch": "torch"}
"""The frameworks whose backends are ours, each with its module here: loaded when the framework is in use."""


_searched = 0
"""How many modules there were when frameworks were last looked for among all of them."""


def load_backends(only: str = "") -> None:
    """Register the backends of the frameworks that the process has imported by now, or of one of them."""
    global _searched  # noqa: PLW0603 - the modules of the process are global too
    for framework in [name for name in _KNOWN if sys.modules.get(name) and only in ("", name)]:
        module = _KNOWN.pop(framework, None)
        if module is not None:
            importlib.import_module(f"{__name__}.{module}").register()
    if not only:
        _searched = _len(sys.modules)


ENTRY_POINTS = "autograph_rs.backends"
"""The group of entry points of packages that have a backend: each names a function that registers it."""
_installed = ""
_loading = threading.RLock()  # what registers a backend may itself meet values of packages


def _is_of_a_package(kind: type) -> bool:
    module = kind.__module__
    if not isinstance(module, str):  # a class may say what it likes
        return False
    root = module.partition(".")[0]
    return root != "numpy" and root != __name__.partition(".")[0] and root not in sys.stdlib_module_names


def _load_installed() -> None:
    """Register the backends of installed packages; one that cannot be is told of in a warning."""
    global _installed  # noqa: PLW0603 - they are looked for once
    if _installed == "loaded":
        return
    messages = []
    with _loading:
        if _installed == "":
            _installed = "loading"
            messages = _failures()
            _installed = "loaded"
    for message in messages:
        warnings.warn(message, RuntimeWarning, stacklevel=user_stacklevel())


def _failures() -> list[str]:
    """Call what the entry points name; what failed."""
    messages = []
    metadata = importlib.import_module("importlib.metadata")  # takes as long to import as all of this package
    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            point.load()()
        except Exception as error:  # noqa: BLE001 - whatever a package does wrong is its own
            messages.append(f"the backend {point.name!r} of {point.value} cannot be registered: {error!r}")
    return messages


def staged_by(value: Any) -> Backend | None:
    """The backend that is staging `value`, or None for a plain value."""
    backend = BACKENDS[type(value)]
    return backend if backend is not None and backend.is_staged(value) else None


@contextlib.contextmanager
def entered() -> Iterator[None]:
    """Around a converted function that is called while something is staged: what backends need there."""
    with contextlib.ExitStack() as stack:
        for backend in (*ACTIVE,):
            enter = getattr(backend, "entered", None)
            manager = None if enter is None else enter()
            if manager is not None:
                stack.enter_context(manager)
        yield


def is_used() -> bool:
    """Whether there is a backend: else no value is staged."""
    if not _backends and _len(sys.modules) != _searched:
        load_backends()
    return bool(_backends)


def is_staging() -> bool:
    """Whether any backend is building a graph right now."""
    for ask in COMPILING:
        if ask():
            return False
    if _len(sys.modules) != _searched:
        load_backends()
    if ACTIVE:
        for ask in STAGING:
            if ask():
                return True
    return False
