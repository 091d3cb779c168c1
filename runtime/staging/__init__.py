"""Staged statements, independent of the backend.

A *location* is anything a statement may change: a variable of its state, a slot on the heap that changed, or
a staged value that was written to in place. The backend captures a branch or loop body by running it once.
Staging records what the run leaves in each location, then restores everything. The values that two paths
leave in one location are merged leaf by leaf. Numbers are promoted. A variable that is unbound on one path is
checked where it is read. Values that cannot be merged raise an error with a row for each variable.

The modules are loaded when a backend is registered, or on first use, because plain code needs none of them.
"""

from typing import Any

from ..backends import AFTER_REGISTRATION
from ..core.active_backends import ACTIVE

_HOMES = {
    "aliases": "may_be_continued",
    "conditions": "if_exp if_stmt",
    "forks": "decide fork_if_exp fork_if_stmt run_function",
    "expressions": "contains ended extend found_in get_item has_staged in_branch keep "
    "list_comp looping owner_of owner_of_item owner_of_text plain_comp run_noting_condition shown "
    "staged_list tells_raises without_effects",
    "exceptions": "AlwaysRaises",
    "generator_expressions": "assumed note_push_form",
    "generators": "Consumer StagedItems is_tested_by_staged source_of takes_staged",
    "growing_lists": "array_staged_in_place staged_in_place",
    "identity": "identical",
    "loops": "for_stmt while_stmt",
    "loop_options": "decrement_limit sized",
    "loop_unrolling": "check_not_continued finish_loop is_long_range start_long_range",
    "missing_values": "bound bound_parts certain inspected is_none is_optional markers used whole",
    "object_merging": "bind_attributes",
    "plain_loops": "followed followed_items watched",
    "recursion": "recursive_callee",
    "side_effects": "warn_of_effects",
    "special_methods": "is_computed is_generated and_object call_builtin Tracing meet_called or_object "
    "text_of truth user_method",
    "unsupported": "checked_write plain_array_error",
}
__all__ = ["ACTIVE", "load", *" ".join(_HOMES.values()).split()]  # noqa: PLE0604


def load() -> None:
    """Import every module and bind its names here, with import statements that packaging tools can see."""
    from ..values import plain_loops  # noqa: PLC0415
    from . import (  # noqa: PLC0415
        expressions,
        generator_expressions,
        generators,
        identity,
        loop_options,
        loop_unrolling,
        loops,
        recursion,
        special_methods,
    )
    from .branches import conditions, exceptions, forks  # noqa: PLC0415
    from .state import (  # noqa: PLC0415
        aliases,
        growing_lists,
        missing_values,
        object_merging,
        side_effects,
        unsupported,
    )

    homes = (
        conditions,
        forks,
        exceptions,
        expressions,
        generator_expressions,
        generators,
        identity,
        loops,
        loop_options,
        loop_unrolling,
        recursion,
        special_methods,
    )
    states = aliases, growing_lists, missing_values, object_merging, side_effects, unsupported
    for home in (*homes, *states, plain_loops):
        names = _HOMES[home.__name__.rpartition(".")[2]].split()
        globals().update({name: getattr(home, name) for name in names})


def __getattr__(name: str) -> Any:
    if name not in __all__:
        describe = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(describe, name=name)
    load()
    return globals()[name]


AFTER_REGISTRATION.append(load)
