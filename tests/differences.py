"""Reasons why converted code differs from Python on plain values, by the sample that shows each."""

from __future__ import annotations

import sys

DIFFERENCES = {
    "temporaries_are_dropped": "a value assigned to an item stays in a local variable until the call ends",
    "truth_is_asked_once": "`and` and the enclosing `if` each test the truth of an object",
    "shadowed_super": "a variable named `super` is treated as the builtin",
    "condition_of_an_unhashable_class": "types are looked up in a dict, so they must be hashable",
    "private_names": "the name of a private function in a method is mangled",
    "tracebacks_of_errors": (
        "a traceback has an extra line for a branch or loop whose condition "
        "is an instance of a user-defined class"
    ),
    "locals_of_the_caller": "the frame's locals contain `ag__`",
    "locals_of_the_caller_with_a_branch": "the frame's locals contain the functions that conversion adds",
    "renamed_locals": "`locals`, `eval` and similar functions are recognized only by name",
}
if sys.version_info < (3, 13):
    DIFFERENCES["same_locals_dict"] = "before 3.13, every `locals()` call in a function returns the same dict"
    DIFFERENCES["locals_are_kept_up_to_date"] = "before 3.13, `locals()` updates the dict it returned before"
if sys.version_info >= (3, 12):
    DIFFERENCES["unbound_in_comprehension_element"] = "since 3.12, a comprehension is part of its function"
