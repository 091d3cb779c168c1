"""Set the log level: `set_verbosity`, and the environment variable `AUTOGRAPH_RS_LOG`."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from typing import TextIO

from autograph_rs.runtime.debugging.loggers import CODE, NONE, ROOT
from autograph_rs.runtime.debugging.tracebacks import api_boundary
from autograph_rs.runtime.errors import OptionError, check_bool

LEVELS = {0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG, 3: CODE}
MAX_VERBOSITY = 10
NAMED_LEVELS = {"off": 0, "info": 1, "debug": 2, "code": 3}


class _Handler(logging.StreamHandler[TextIO]):
    """Handler for a standard stream. On stderr, it is silent if the program has handlers of its own."""

    def __init__(self, stream_name: str):
        logging.Handler.__init__(self)
        self.stream_name = stream_name
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return getattr(sys, self.stream_name)  # type: ignore[no-any-return]

    def filter(self, record: logging.LogRecord) -> bool:
        return self.stream_name == "stdout" or not any(_program_handlers(record.name))


def _program_handlers(name: str) -> Iterator[logging.Handler]:
    """Yield the handlers of the program that receive the records of a logger."""
    logger: logging.Logger | None = logging.getLogger(name)
    while logger is not None:
        yield from (h for h in logger.handlers if h is not NONE and not isinstance(h, _Handler))
        logger = logger.parent if logger.propagate else None


@api_boundary
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Log conversions, calls and traces to the logger `autograph_rs`.

    Args:
        level: 0 logs nothing. 1 logs one line per conversion, per trace and per loop that is compiled to
            machine code. 2 adds whether each called function is converted, and why. 3 to 10 add the converted
            code and the graphs.
        alsologtostdout: whether to write to standard output as well.

    Raises:
        OptionError: `level` is not an integer from 0 to 10.

    Messages go to standard error, or to the program's own `logging` handlers if it has installed any.

    >>> import autograph_rs as ag, numpy as np
    >>> ag.set_verbosity(1, alsologtostdout=True)
    >>> ag.function(lambda x: x + 1)(np.ones(2))
    autograph_rs.convert: converted '<lambda>' (...) in ... ms
    autograph_rs.trace: traced <lambda>(x: float64[2]) -> float64[2] in ... ms
    array([2., 2.])
    >>> ag.set_verbosity(0)
    """
    check_bool("alsologtostdout", alsologtostdout)
    if type(level) is not int or not 0 <= level <= MAX_VERBOSITY:
        raise OptionError(
            f"{level!r} is not a verbosity level",
            why="levels are integers, and higher levels log more",
            remedy=f"pass an integer from 0 to {MAX_VERBOSITY}",
        )
    for handler in [h for h in ROOT.handlers if isinstance(h, _Handler)]:
        ROOT.removeHandler(handler)
    ROOT.setLevel(LEVELS[min(level, max(LEVELS))])
    if level > 0:
        for stream_name in ("stderr", "stdout") if alsologtostdout else ("stderr",):
            ROOT.addHandler(_Handler(stream_name))


def set_from_environment(text: str) -> None:
    """Set the verbosity to the value of `AUTOGRAPH_RS_LOG`, or warn if the value is invalid."""
    level = int(text) if text.isdecimal() else NAMED_LEVELS.get(text.lower(), -1)
    if 0 <= level <= MAX_VERBOSITY:
        set_verbosity(level)
        return
    names = ", ".join(NAMED_LEVELS)
    warnings.warn(
        f"AUTOGRAPH_RS_LOG must be one of {names}, or a number from 0 to {MAX_VERBOSITY}, got {text!r}",
        RuntimeWarning,
        stacklevel=3,
    )
