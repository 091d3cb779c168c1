"""What `to_jax` and the engines are given: arrays of other systems, values of Variables, options."""

from __future__ import annotations

import numpy as np
import pytest
from backends.support import required

jax = required("jax")

import autograph_rs as ag  # noqa: E402

v, u = ag.Variable([1.0, 2.0]), ag.Variable(3)


@ag.function
def step(x):
    v.assign_add(x)
    u.assign_add(1)
    return v.read_value()


@pytest.mark.parametrize("engine", ["numpy", "jax"])
def test_arrays_of_other_systems(engine):
    f = ag.function(lambda x: x * 2, engine=engine)
    with pytest.raises(ag.StagingError, match="an argument is an array of jax"):
        f(jax.numpy.ones(2))
    with pytest.raises(ag.StagingError, match="an argument is an array of jax"):
        jax.jit(lambda x: f(x))(np.ones(2))


@pytest.mark.parametrize(
    "values",
    [
        (np.zeros(2, "float32"), np.int64(0)),
        (np.zeros(2), 0.5),
        (np.zeros(3), np.int64(0)),
        np.zeros(2),
        (np.zeros(2),),
    ],
)
def test_values_of_variables(values):
    f = step.get_concrete_function(ag.TensorSpec((2,))).to_jax(variables="explicit")
    with pytest.raises(ag.OptionError, match="Variable"):
        f(values, np.ones(2))
    assert f((np.zeros(2), np.int64(0)), np.ones(2))[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("room", ["a", 0, -1, 1.5, True])
def test_room(room):
    concrete = step.get_concrete_function(ag.TensorSpec((2,)))
    with pytest.raises(ag.OptionError, match="list_room= is a number of rounds"):
        concrete.to_jax(variables="explicit", list_room=room)
