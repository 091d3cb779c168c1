"""Replace plain lists, sets, dicts and arrays with staged ones, once their contents are staged."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ...backends import Backend
from ...errors import AliasError, StagingError
from ...values.array_views import key_of_view
from ...values.locations import Location, Variable
from ...values.plain_loops import followed
from .aliases import holding_variables, is_iterated, other_reference, replaced
from .escapes import is_made_in_trace
from .heap import is_older
from .mismatches import ignored
from .statement import Restage, Statement
from .unsupported import not_a_variable_error


class GrowLists(Restage):
    """End a capture that left plain lists with different lengths, which have to be staged first."""

    def __init__(self, lists: list[list[Any]]):
        super().__init__([])
        self.lists = lists

    def stage(self, statement: Statement) -> None:
        for plain_list in self.lists:
            stage_list(statement, Location(plain_list, None))


def staged_in_place(
    backend: Backend, value: Any, make: Callable[[Any], Any], *, without: Collection[Any] = ()
) -> tuple[Any, str]:
    """Put a staged container in the place of a plain one, where the traced code is about to change it.

    Return it and what else refers to the plain one; if something does, nothing has changed. Where a branch or
    loop body changes a set, a dict or an array that is older, its statement has to do this. The views
    `without` do not count.
    """
    find = functools.partial(other_reference, value, None, None, without=without, is_deep=True)
    is_staged_before = isinstance(value, (set, dict)) or (isinstance(value, np.ndarray) and not find())
    if is_staged_before and is_older(value):
        raise Restage([*without] or [value])
    is_free = functools.partial(is_made_in_trace, backend, ())
    if isinstance(value, (set, dict)) and not (is_free(value) and getattr(backend, "is_given", bool)(value)):
        return None, "the caller"
    restage = GrowLists([value]) if isinstance(value, list) else Restage([*without] or [value])
    return replaced(value, make, find, is_free, restage, views=without)


def array_staged_in_place(
    backend: Backend, array: Any, make: Callable[[Any], Any], refusal: Callable[[str], Exception]
) -> Any:
    """Have the traced code refer to a staged array in place of a plain one, to which it is about to write.

    If the plain array is a view, a view of a staged array takes its place.

    Raises:
        Exception: `refusal` of what else refers to the array, or of "" if it is not a plain array.
    """

    def moved(array: Any, make: Callable[[Any], Any], *views: Any) -> Any:
        made, other = staged_in_place(backend, array, make, without=views)
        if other:
            raise refusal(other)
        return made

    if type(array) is not np.ndarray:
        raise refusal("")
    replacement = followed(array)
    if replacement is not array:
        return replacement
    base = array.base
    key = key_of_view(array, base) if type(base) is np.ndarray else None
    if key is None:
        return moved(array, make)
    staged_base = moved(base, make, array)
    return moved(array, lambda _: staged_base[key])


def stage_list(statement: Statement, location: Any) -> bool:
    """Replace the plain list in a location with a staged list; return whether this was possible."""
    make = getattr(statement.backend, "staged_list", None)
    plain_list = None
    if isinstance(location, Variable):
        plain_list = statement.before[location.index]
    elif isinstance(location, Location):
        plain_list = location.owner if location.key is None else location.get()
    if (
        make is None
        or type(plain_list) is not list
        or any(plain_list is done for done in statement.staged_lists)
    ):
        return False
    if getattr(statement.backend, "stage_item", ignored)(statement, plain_list):
        return True
    name = statement.name_of(location)
    holders = statement.heap.holders(plain_list)
    if not any(value is plain_list for value in statement.before):
        variables = [variable for _, variable in holding_variables(plain_list)]
        if not all(statement.is_free(holder.owner) for holder in holders) or not (holders or variables):
            raise not_a_variable_error(plain_list, next(iter(holders), None), statement.closures)
        name = holders[0].name if holders else variables[0]
    if is_iterated(plain_list):
        raise StagingError(
            f"the list {name!r} changes its length under a staged condition while a Python loop iterates "
            "over it",
            why="the Python loop would not see which items the graph adds or removes at run time",
            remedy=f"loop over a copy: for item in list({name})",
        )
    if other := statement.replace(plain_list, make, GrowLists([plain_list])):
        raise AliasError(
            f"the list {name!r} changes its length in a staged branch or loop, and {other} refers to it too",
            why="a list whose length depends on staged values is replaced with another object, to which "
            "the other name would not refer",
            remedy=f"use a variable in its place, or give it a copy: list({name})",
        )
    statement.staged_lists.append(plain_list)
    statement.restore()
    return True
