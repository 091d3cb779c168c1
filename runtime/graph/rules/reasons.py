"""Why NumPy functions cannot be staged: one sentence for each group of functions without a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .probing import numpy_functions

NAMES_BY_REASON = {
    "reading and writing files takes place once, when Python runs": (
        "load save savez savez_compressed loadtxt savetxt genfromtxt fromfile fromregex"
    ),
    "it reads Python objects, buffers or text, which a graph does not hold": (
        "fromiter frombuffer fromstring from_dlpack"
    ),
    "its result contains Python objects, which a graph does not hold": "frompyfunc",
    "dates and text are not numbers, and a graph computes with numbers": (
        "busday_count busday_offset is_busday datetime_as_string datetime_data"
    ),
    "where an array lies in memory is known only when the graph runs": (
        "shares_memory may_share_memory isfortran nested_iters"
    ),
    "its result is real or complex depending on the data, but a dtype must be known before the graph runs": (
        "roots emath.sqrt emath.log emath.log2 emath.logn emath.log10 emath.power emath.arccos emath.arcsin "
        "emath.arctanh"
    ),
    "it configures or describes NumPy, and takes no arrays": (
        "get_include get_printoptions set_printoptions printoptions getbufsize setbufsize geterr seterr "
        "geterrcall seterrcall show_config show_runtime info test linalg.test fft.test typename"
    ),
    "a graph holds no objects of such classes": (
        "asmatrix bmat matrix poly1d nditer broadcast recarray memmap"
    ),
    "it takes types or shapes, not arrays; x.dtype and x.shape are plain values": (
        "isdtype issubdtype promote_types mintypecode broadcast_shapes"
    ),
}

REASONS = {
    function: reason for reason, names in NAMES_BY_REASON.items() for function in numpy_functions(names)
}
"""The reason for each public function of NumPy that has neither a rule nor a composition."""


def reason_for(function: Callable[..., Any]) -> str:
    """Return why a function cannot be staged, or "" if no reason is on record."""
    return REASONS.get(function, "")
