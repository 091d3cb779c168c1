"""Differences of converted code from Python on plain values: the sample that shows each, and the reason."""

from __future__ import annotations

import sys

DIFFERENCES = {
    "temporaries_are_dropped": "a value that is written to an item is kept under a name until the call ends",
    "truth_is_asked_once": "an object is asked for its truth by `and` and by the `if` around it",
    "shadowed_super": "a variable called `super` is taken for the builtin",
    "condition_of_an_unhashable_class": "types are looked up in a dict",
    "private_names": "a private function in a method is called by its mangled name",
    "tracebacks_of_errors": (
        "a traceback has a line for a branch or loop whose condition "
        "is an object of another class than Python's own"
    ),
    "locals_of_the_caller": "a frame holds `ag__`",
    "locals_of_the_caller_with_a_branch": "a frame holds the functions that were added",
    "renamed_locals": "`locals`, `eval` and the like are known by their names",
}
if sys.version_info < (3, 13):
    DIFFERENCES["same_locals_dict"] = "before 3.13 each `locals()` of a function gives the same dict"
    DIFFERENCES["locals_are_kept_up_to_date"] = "before 3.13 `locals()` updates the dict that it gave before"
if sys.version_info >= (3, 12):
    DIFFERENCES["unbound_in_comprehension_element"] = "since 3.12 a comprehension is part of its function"
