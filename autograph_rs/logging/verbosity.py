"""How much is told: `set_verbosity`, and the variable `AUTOGRAPH_RS_LOG`."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from typing import TextIO

from autograph_rs.runtime.boundary import public
from autograph_rs.runtime.errors import OptionError, checked_truth
from autograph_rs.runtime.log import CODE, NONE, ROOT

LEVELS = {0: logging.WARNING, 1: logging.INFO, 2: logging.DEBUG, 3: CODE}
GREATEST = 10
NAMES = {"off": 0, "info": 1, "debug": 2, "code": 3}


class _Stream(logging.StreamHandler[TextIO]):
    """Writes to what a standard stream is at the time; to stderr only where the program logs nowhere else."""

    def __init__(self, stream: str):
        logging.Handler.__init__(self)
        self.of = stream
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        found: TextIO = getattr(sys, self.of)
        return found

    def filter(self, record: logging.LogRecord) -> bool:
        return self.of == "stdout" or not any(_handlers(record.name))


def _handlers(name: str) -> Iterator[logging.Handler]:
    """The program's own handlers that a record of some logger comes to."""
    logger: logging.Logger | None = logging.getLogger(name)
    while logger is not None:
        yield from (h for h in logger.handlers if h is not NONE and not isinstance(h, _Stream))
        logger = logger.parent if logger.propagate else None


@public
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Tell what is converted, called and traced, through the logger `autograph_rs`.

    Args:
        level: 0 tells nothing; 1 a line for each conversion and each trace; 2 what becomes of each called
            function as well, and why; 3 and above the converted code and the graphs as well. At most 10.
        alsologtostdout: whether it is also written to the standard output.

    Raises:
        OptionError: there is no such level.

    It is written to the standard error, or to the handlers of `logging` if the program has set up any.

    >>> import autograph_rs as ag, numpy as np
    >>> ag.set_verbosity(1, alsologtostdout=True)
    >>> ag.function(lambda x: x + 1)(np.ones(2))
    autograph_rs.convert: converted '<lambda>' (...) in ... ms
    autograph_rs.trace: traced <lambda>(x: float64[2]) -> float64[2] in ... ms
    array([2., 2.])
    >>> ag.set_verbosity(0)
    """
    checked_truth("alsologtostdout", alsologtostdout)
    if type(level) is not int or not 0 <= level <= GREATEST:
        raise OptionError(
            f"{level!r} is no verbosity",
            why="a verbosity is a whole number, and the greater it is, the more is told",
            remedy=f"give a number from 0 to {GREATEST}",
        )
    for handler in [h for h in ROOT.handlers if isinstance(h, _Stream)]:
        ROOT.removeHandler(handler)
    ROOT.setLevel(LEVELS[min(level, max(LEVELS))])
    for stream in ("stderr", "stdout")[: (level > 0) + (level > 0 and alsologtostdout)]:
        ROOT.addHandler(_Stream(stream))


def set_from_environment(text: str) -> None:
    """The verbosity that `AUTOGRAPH_RS_LOG` asks for; a value that is none is warned of."""
    level = int(text) if text.isdecimal() else NAMES.get(text.lower(), -1)
    if 0 <= level <= GREATEST:
        set_verbosity(level)
    else:
        message = (
            f"AUTOGRAPH_RS_LOG={text!r}: it is one of {', '.join(NAMES)}, or a number from 0 to {GREATEST}"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=3)
