"""Every op has a rule for its reverse, or a reason why it has none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rule_cases import CASES

import autograph_rs as ag
from autograph_rs.runtime.backends.builtins import MATH
from autograph_rs.runtime.graph.functions import register_gradients
from autograph_rs.runtime.graph.gradient.reverse import OP_RULES
from autograph_rs.runtime.graph.rules import TYPE_RULES, tables, ufuncs
from autograph_rs.runtime.graph.serialization.op_schema import OPS

register_gradients()

WHOLE_NUMBERS = "its result is a truth value, whole number or type"
REASONS = {
    **dict.fromkeys(
        "isin ix_ indices iscomplex isreal isposinf isneginf isclose allclose array_equal array_equiv shape "
        "size ndim iscomplexobj isrealobj result_type can_cast common_type isscalar any all argmin argmax "
        "count_nonzero nanargmin nanargmax flatnonzero argwhere searchsorted digitize argsort argpartition "
        "nonzero lexsort unravel_index ravel_multi_index bitwise_and bitwise_count bitwise_or bitwise_xor "
        "equal gcd greater greater_equal in1d invert isfinite isinf isnan isnat lcm left_shift less "
        "less_equal logical_and logical_not logical_or logical_xor not_equal right_shift factorial isqrt "
        "perm comb not_ either contains dimension len int bool str and_ or_ xor lshift rshift lt le gt ge "
        "eq ne tril_indices triu_indices tril_indices_from triu_indices_from diag_indices diag_indices_from "
        "packbits unpackbits iterable min_scalar_type einsum_path view find list_index list_count "
        "bisect_left bisect_right sorting_order min_position max_position issubset issuperset "
        "isdisjoint".split(),
        WHOLE_NUMBERS,
    ),
    **dict.fromkeys(
        "trim_zeros unique_all unique_counts unique_inverse unique_values intersect1d union1d setdiff1d "
        "setxor1d unique polymul polydiv".split(),
        "how long its result is depends on the values",
    ),
    **dict.fromkeys(
        "bartlett blackman hamming hanning kaiser".split(),
        "the number of points of a window is a whole number",
    ),
    **dict.fromkeys(
        "at place put_along_axis sort_complex sliding_window_view".split(),
        "np.where and np.take have a gradient",
    ),
    **dict.fromkeys(
        "histogram histogram_bin_edges flat_histogramdd histogram2d".split(),
        "an item goes from one bin to another at once",
    ),
    **dict.fromkeys(
        "constant output zip range enumerate reversed text text_method join print raise default_rng dataset "
        "next".split(),
        "it computes nothing from floats, or is part of another node",
    ),
    **dict.fromkeys(
        "set_of set_intersection set_difference set_symmetric_difference dict_of dict_get dict_get_or "
        "dict_values dict_items".split(),
        "which members and keys a set or a dict has depends on the values",
    ),
    **dict.fromkeys("fftfreq rfftfreq".split(), "of a staged spacing it is a product"),
    "asarray_chkfinite": "it is called on plain arrays only",
    **dict.fromkeys(
        "sorted permuted groups nsmallest nlargest list_update deque".split(),
        "which item goes where depends on Python's comparison of the items",
    ),
    **dict.fromkeys(
        "none_or none_or_true part_of_optional".split(), "whether an item is None depends on the values"
    ),
    "py_function": "what Python does with the values is not known",
}


def has_rule(function) -> bool:
    ruled = tables.GRADIENT_RULES, tables.DEFINITIONS, tables.PARTIALS, tables.CONSTANT
    return any(function in table for table in ruled)


UFUNCS = {u for u in vars(np).values() if isinstance(u, np.ufunc)}


def test_functions():
    functions = {*TYPE_RULES, *UFUNCS, *MATH}
    without = {f.__name__ for f in functions if not has_rule(f)} - REASONS.keys()
    assert without <= {"item"}  # recorded as the op of that name
    assert "item" in OP_RULES


SAME = {"row_stack": "vstack", "trapz": "trapezoid", "sum_to": "add"}


def test_each_rule_is_compared():
    """With finite differences, by the cases of `rule_cases`; what is of `math` is in `test_math`."""
    compared = {case.name.rsplit("-", 1)[0] for case in CASES}
    ruled = {f for table in (tables.GRADIENT_RULES, tables.DEFINITIONS, tables.PARTIALS) for f in table}
    names = {f.__name__ for f in ruled if callable(f) and f not in MATH}
    assert {SAME.get(name, name) for name in names} <= compared


def test_ops():
    known = OP_RULES.keys() | tables.CONSTANT | REASONS.keys()
    ruled = {op for op in OPS if has_rule(ufuncs.UFUNCS.get(op)) or op.startswith("random.")}
    assert OPS.keys() - known - ruled == {
        "attempt", "bit_count", "bit_length", "int_of", "is_none", "is_same", "member_name", "member_value",
        "zeros_of",  # not of floats
        "new_object", "attribute", "reference", "reference_update",  # refused: see docs/limitations.md
    }  # fmt: skip


def test_what_has_no_rule_says_so():
    with pytest.raises(ag.GradientError, match=r"(?s)py_function has no gradient.*test_rule_table\.py"):
        ag.grad(lambda x: ag.py_function(math.sin, [x], ag.TensorSpec(())) * x)(1.0)
