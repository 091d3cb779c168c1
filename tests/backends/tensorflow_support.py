"""Helpers of the TensorFlow backend's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import required

import autograph_rs as ag

tf = required("tensorflow")
T = tf.constant
NOT_A_BOOL = tf.errors.OperatorNotAllowedInGraphError


class Box:
    def __init__(self, value: Any):
        self.value = value


def compiled(f: Callable[..., Any], **options: Any) -> Any:
    return tf.function(ag.convert(f), autograph=False, **options)


def theirs(f: Callable[..., Any], **options: Any) -> Any:
    """The function as TensorFlow's own AutoGraph compiles it."""
    return tf.function(f, **options)


BOTH = pytest.mark.parametrize("compiler", [compiled, theirs])


def values(made: Any) -> Any:
    """A result with Python's values for its tensors."""
    return tf.nest.map_structure(lambda t: np.asarray(t.numpy()).tolist() if tf.is_tensor(t) else t, made)
