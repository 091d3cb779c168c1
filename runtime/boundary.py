"""Where a user's code calls ours: what is wrong with the call is shown at the user's line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .tracebacks import strip

F = TypeVar("F", bound=Callable[..., Any])


def public(function: F) -> F:
    """A function of ours that users call: what it raises, and what led to that, shows no frame of ours."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    return called  # type: ignore[return-value]
