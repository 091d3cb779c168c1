"""What is told of conversions, calls and traces: loggers under `autograph_rs`, which are silent by default.

`INFO` is a line for each conversion and each trace, `DEBUG` says besides what becomes of each called
function and why, and `CODE` shows the converted code and the graphs.
"""

from __future__ import annotations

import logging

CODE = 5
ROOT = logging.getLogger("autograph_rs")
NONE = logging.NullHandler()
ROOT.addHandler(NONE)
CONVERT, CALLS, TRACE, BACKENDS = map(ROOT.getChild, ("convert", "calls", "trace", "backends"))
