"""Errors of public functions for arguments of the wrong kind, besides the programs of `errors/`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from backends.support import required

import autograph_rs as ag


def double(x):
    return x * 2


def kept(**_):
    return ag.save(ag.function(double).get_concrete_function(np.ones(2)), "no file", **_)


@pytest.mark.parametrize("value", ["no", 1, None, np.ones(1)])
@pytest.mark.parametrize(
    ("take", "name"),
    [
        (ag.convert, "recursive"),
        (ag.to_graph, "recursive"),
        (ag.function, "reduce_retracing"),
        (ag.function, "check_globals"),
        (lambda _, **given: ag.Transpiler(**given), "recursive"),
        (lambda _, **given: ag.run_functions_eagerly(**given), "eagerly"),
        (lambda _, **given: ag.check_numerics(**given), "on"),
        (lambda _, **given: ag.set_verbosity(0, **given), "alsologtostdout"),
        (lambda _, **given: kept(**given), "source"),
    ],
)
def test_an_option_is_true_or_false(take, name, value):
    with pytest.raises(ag.ArgumentError, match=f"{name}= must be True or False, not ") as caught:
        take(double, **{name: value})
    assert caught.value.place.file == __file__


def test_a_truth_of_numpy_is_one():
    assert ag.to_graph(double, recursive=np.True_)(2) == 4


def test_a_file_where_a_folder_is(tmp_path: Path):
    trace = ag.function(double).get_concrete_function(np.ones(2))
    folder, file = tmp_path / "folder", tmp_path / "none" / "double.json"
    folder.mkdir()
    for use in (lambda path: ag.save(trace, path), ag.load):
        with pytest.raises(ag.MissingFileError, match="is a directory") as caught:
            use(folder)
        assert caught.value.filename == str(folder)
    with pytest.raises(ag.MissingFileError, match="the directory") as caught:
        ag.save(trace, file)
    assert caught.value.filename == str(file)
    assert [*tmp_path.rglob("*")] == [folder]


@pytest.mark.parametrize("wrong", [[1, [2]], [[1.0], [1.0, 2.0]]])
def test_what_a_variable_is_given_is_an_array(wrong):
    v = ag.Variable([0.0, 0.0])
    for assign in (v.assign, ag.function(lambda _: v.assign(wrong))):
        with pytest.raises(ag.AssignmentError, match="cannot be converted to an array"):
            assign(wrong)
    with pytest.raises(ag.ArgumentError, match="with the dtype int64"):
        ag.Variable("a", dtype="int64")


@pytest.mark.parametrize("wrong", [3, "float64", {"x": ag.TensorSpec(())}])
def test_an_input_signature_is_a_list(wrong):
    with pytest.raises(ag.ArgumentError, match="input_signature must be a list"):
        ag.function(double, input_signature=wrong)


SPEC = ag.TensorSpec((2,), "float64")


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: ag.explain(3), ag.ArgumentError, "3"),
        (lambda: ag.explain(double, 1)[99], KeyError, "no statement on line 99"),
        (lambda: ag.explain(double, 1)["a"], ag.ArgumentError, "asked for a line, not for 'a'"),
        (lambda: ag.explain(double, 1).to_html("/no/such/folder"), FileNotFoundError, "/no/such/folder"),
        (lambda: ag.py_function(3, [1], SPEC), ag.ArgumentError, "not 3"),
        (lambda: ag.py_function(double, [1], 3), ag.ArgumentError, "not 3"),
        (lambda: ag.function(lambda x: ag.py_function(double, [x], 3))(1.0), ag.ArgumentError, "not 3"),
        (lambda: ag.print(1, bogus=2), TypeError, "bogus"),
    ],
)
def test_what_a_call_raises_shows_the_lines_of_the_user_alone(call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call()
    assert {entry.path for entry in caught.traceback} == {Path(__file__)}


def test_a_name_that_is_none_is_told_with_the_one_that_was_meant():
    with pytest.raises(AttributeError) as caught:
        _ = ag.functoin
    assert (caught.value.name, caught.value.obj) == ("functoin", ag)


def test_engines_that_there_are_not():
    """The names that there are stand in the error; an engine does not go with a backend."""
    with pytest.raises(ag.OptionError, match="unknown engine 'abacus'") as caught:
        ag.function(double, engine="abacus")
    assert "use 'numpy', 'auto', 'native' or 'onnxruntime'" in str(caught.value)
    with pytest.raises(ag.ArgumentError, match="engine must be a str"):
        ag.function(double, engine=None)
    with pytest.raises(ag.OptionError, match="was passed with backend="):
        ag.function(double, engine="onnxruntime", backend="jax")


def test_arrays_of_other_systems():
    """Eager ones and tracers are refused by name."""
    jax = required("jax")
    traced = ag.function(double)
    with pytest.raises(ag.StagingError, match="got a jax array"):
        traced(jax.numpy.ones(2))
    with pytest.raises(ag.StagingError, match="got a jax array"):
        jax.jit(traced)(np.ones(2))
