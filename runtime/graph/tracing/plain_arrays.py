"""Plain arrays to which traced code writes staged values: a staged array takes the place of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import staging
from ...core.active_backends import active_backend
from ...values.array_views import key_of_view
from . import recording


def staged_in_place(array: Any, refusal: Callable[[str], Exception]) -> Any:
    """Have the traced code refer to a staged array in place of a plain one, to which it is about to write.

    If the plain array is a view, a view of a staged array takes its place.

    Raises:
        Exception: `refusal` of what else refers to the array, or of "" if it is not a plain array.
    """
    if type(array) is not np.ndarray:
        raise refusal("")
    replacement = staging.followed(array)
    if replacement is not array:
        return replacement
    base = array.base
    key = key_of_view(array, base) if type(base) is np.ndarray else None
    if key is None:
        return _moved(array, staged_array, refusal)
    staged_base = _moved(base, staged_array, refusal, array)
    return _moved(array, lambda _: staged_base[key], refusal)


def _moved(array: Any, make: Callable[[Any], Any], refusal: Callable[[str], Exception], *views: Any) -> Any:
    made, other = staging.staged_in_place(active_backend(), array, make, without=views)
    if other:
        raise refusal(other)
    return made


def staged_array(array: np.ndarray) -> Any:
    """Return a staged array with the contents of a plain one."""
    made = recording.wrap(recording.to_node(array))
    made.is_mutable = True
    return made
