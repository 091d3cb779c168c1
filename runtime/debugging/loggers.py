"""The loggers for conversions, calls and traces, silent by default.

`INFO` logs each conversion, each trace and each compilation to machine code. `DEBUG` also logs whether and
why each called function is converted, and `CODE` the converted code and the graphs.
"""

from __future__ import annotations

import logging

CODE = 5
ROOT = logging.getLogger("autograph_rs")
NONE = logging.NullHandler()
ROOT.addHandler(NONE)
CONVERT, CALLS, TRACE, BACKENDS, NATIVE = map(
    ROOT.getChild, ("convert", "calls", "trace", "backends", "native")
)
