"""A `pdb` that takes a converted function for the one function that its user wrote.

A converted function runs its branches and loop bodies in closures, called by operators. Python's own `pdb`
shows their frames one by one. This one counts a function and its closures as one frame: `next` goes to the
function's next line, wherever that runs; `where`, `up` and `down` show the user's frames; every variable of
the function has its value, and none that the conversion added is shown.

    PYTHONBREAKPOINT=autograph_rs.debugging.set_trace python script.py
    python -m autograph_rs.debugging script.py
    python -m pytest --pdbcls=autograph_rs.debugging:Pdb
"""

from __future__ import annotations

import ctypes
import dis
import functools
import linecache
import pdb  # noqa: T100 - it is what this module is about
import sys
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

from autograph_rs.runtime.frames import home_frame, user_frame
from autograph_rs.runtime.tracebacks import is_library, is_ours

from .codes import codes_in
from .source import OPERATORS

_OWN_LOCALS = sys.version_info < (3, 13)  # `f_locals` is a copy, which must be put back


class Pdb(pdb.Pdb):
    """Python's debugger, for converted code too. It takes what `pdb.Pdb` takes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lines: dict[types.FrameType, int] = {}  # where the running functions were seen last
        self._raised: tuple[types.FrameType, BaseException] | None = None
        super().__init__(*args, **kwargs)

    # Where it stops

    def stop_here(self, frame: types.FrameType) -> bool:
        """Whether to stop at an event: a closure stops where the function would that it is part of."""
        if frame is not self.stopframe and home_frame(frame) is self.stopframe:
            return self.stoplineno != -1 and frame.f_lineno >= self.stoplineno
        return super().stop_here(frame) and not _runs_for_us(frame)

    def _set_stopinfo(self, stopframe: Any, returnframe: Any, *args: Any, **kwargs: Any) -> None:
        frames = (frame and home_frame(frame) for frame in (stopframe, returnframe))
        super()._set_stopinfo(*frames, *args, **kwargs)  # type: ignore[misc]

    def set_return(self, frame: types.FrameType) -> None:
        """Go on until the function returns that a frame is part of."""
        super().set_return(home_frame(frame))

    def dispatch_line(self, frame: types.FrameType) -> Any:
        """Stop at a line, but not again for a test or an operand on it, which is a closure of its own."""
        whole = home_frame(frame)
        again = whole is not frame and self._lines.get(whole) == frame.f_lineno and _computes(frame.f_code)
        self._lines[whole] = frame.f_lineno
        return self.trace_dispatch if again else super().dispatch_line(frame)

    def dispatch_return(self, frame: types.FrameType, arg: Any) -> Any:
        """Forget a frame that ends."""
        self._lines.pop(frame, None)
        return super().dispatch_return(frame, arg)

    def user_call(self, frame: types.FrameType, argument_list: Any) -> None:
        """Stop at a call; a closure is not called, it goes on."""
        if home_frame(frame) is frame:
            super().user_call(frame, argument_list)

    def user_return(self, frame: types.FrameType, return_value: Any) -> None:
        """Stop at a return, and see to it that the user's caller can be stopped in."""
        if home_frame(frame) is frame:
            caller = frame.f_back and user_frame(frame.f_back)
            if caller and not caller.f_trace:
                caller.f_trace = self.trace_dispatch
            super().user_return(frame, return_value)

    def user_exception(self, frame: types.FrameType, exc_info: Any) -> None:
        """Stop at an exception, once in each function that it comes through."""
        raised = home_frame(frame), exc_info[1]
        if self._raised != raised:
            self._raised = raised
            super().user_exception(frame, exc_info)

    # What it shows

    def get_stack(self, f: types.FrameType | None, t: types.TracebackType | None) -> Any:
        """The stack, with one entry for a function and its closures: the innermost of these."""
        stack, index = super().get_stack(f, t)
        kept: list[tuple[types.FrameType, int]] = []
        place = 0
        for number, (frame, line) in enumerate(stack):
            if is_ours(frame.f_code):
                continue
            whole = home_frame(frame)
            same = [n for n, (other, _) in enumerate(kept) if home_frame(other) is whole]
            if whole is not frame and same:
                del kept[same[0] :]
            is_operand = whole is not frame and frame.f_code.co_name == "<lambda>"
            kept.append((whole if is_operand else frame, line))
            if number <= index:
                place = len(kept) - 1
        return kept, place

    @property
    def curframe_locals(self) -> Any:
        """The variables of the current function."""
        return Variables(self.curframe) if self.curframe else None

    @curframe_locals.setter
    def curframe_locals(self, value: Any) -> None:
        """They are always those of the current frame."""

    def do_args(self, arg: str) -> bool | None:
        """Print the arguments of the current function."""
        frame = self.curframe
        assert frame is not None
        self.curframe = home_frame(frame)
        try:
            return super().do_args(arg)
        finally:
            self.curframe = frame

    do_a = do_args

    def _getsourcelines(self, obj: Any) -> Any:
        whole = home_frame(obj) if isinstance(obj, types.FrameType) else obj
        return super()._getsourcelines(whole)  # type: ignore[misc]


def _runs_for_us(frame: types.FrameType | None) -> bool:
    """Whether a frame is ours, or of a library that works for us: a weak table loses what nobody needs."""
    if frame is not None and frame.f_globals.get("__name__") == "weakref":
        return True
    while frame is not None and not is_ours(frame.f_code):
        file, module = frame.f_code.co_filename, frame.f_globals.get("__name__") or ""
        if not is_library(file) and not (file == "<string>" and module.startswith("autograph_rs.")):
            return False
        frame = frame.f_back
    return frame is not None


class Variables(MutableMapping[str, Any]):
    """The variables of a function that runs, by the user's names: all of them, from any of its closures.

    >>> Variables(sys._getframe())["__name__"]
    'autograph_rs.debugging'
    """

    def __init__(self, frame: types.FrameType):
        self._frame, self._whole = frame, home_frame(frame)
        self._hidden = added_names(self._whole.f_code)
        if frame is not self._whole and frame.f_code.co_name != "<lambda>":
            self._hidden |= set(frame.f_code.co_varnames)  # the closure's own; what is the user's is not

    def __getitem__(self, name: str) -> Any:
        if name in self._hidden:
            raise KeyError(name)
        own = self._frame.f_locals
        return own[name] if name in own else self._whole.f_locals[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._whole.f_locals[name] = value
        self._put_back()

    def __delitem__(self, name: str) -> None:
        del self._whole.f_locals[name]
        self._put_back(1)

    def __iter__(self) -> Iterator[str]:
        return (name for name in {**self._whole.f_locals, **self._frame.f_locals} if name not in self._hidden)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __ror__(self, other: dict[str, Any]) -> dict[str, Any]:
        return other | dict(self)

    def _put_back(self, clear: int = 0) -> None:
        if _OWN_LOCALS:
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(self._whole), ctypes.c_int(clear))
            _ = self._frame.f_locals  # else what it had before is put back when the debugger goes on


@functools.lru_cache
def added_names(code: types.CodeType) -> frozenset[str]:
    """The variables of a converted function that its user did not write."""
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    if OPERATORS not in own | set(code.co_names):
        return frozenset()
    try:
        module = compile("".join(linecache.getlines(code.co_filename)), code.co_filename, "exec")
    except (SyntaxError, ValueError):
        return frozenset((OPERATORS,))
    place = code.co_firstlineno, code.co_qualname
    written = [c for c in codes_in(module) if (c.co_firstlineno, c.co_qualname) == place]
    names = {name for c in written for name in (*c.co_varnames, *c.co_cellvars, *c.co_freevars)}
    return frozenset(own - names if written else (OPERATORS,))


@functools.lru_cache
def _computes(code: types.CodeType) -> bool:
    """Whether a closure returns a value: it is a test or an operand, and no body."""
    *_, before, last = dis.get_instructions(code)
    returned = last if last.opname == "RETURN_CONST" else before
    return not (returned.opname.endswith("CONST") and returned.argval is None)


def set_trace(*, header: str | None = None) -> None:
    """Start the debugger in the user's function that calls this; `breakpoint()` can be set to it.

    Args:
        header: a line to print first.
    """
    debugger = Pdb()
    if header is not None:
        debugger.message(header)
    debugger.set_trace(user_frame(sys._getframe(1)))


def main() -> None:
    """Run a script under the debugger; the command line is that of `python -m pdb`."""
    pdb.Pdb = Pdb  # type: ignore[misc]  # what `pdb.main` and the script's own `pdb.set_trace()` make
    pdb.main()


if __name__ == "__main__":
    from autograph_rs import debugging  # noqa: PLW0406 - `pdb` clears the module `__main__` for the script

    debugging.main()
