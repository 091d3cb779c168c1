"""The errors that TensorFlow documents for its AutoGraph: what holds here, what differs.

`docs/tensorflow.md` lists these behaviours. Where the two differ, a test asserts what `theirs` does as well.
"""

from __future__ import annotations

import os
import traceback

import pytest
from tensorflow_support import BOTH, NOT_A_BOOL, T, compiled, tf, theirs, values

import autograph_rs as ag

# Errors while a function is traced


class Coded(Exception):
    def __init__(self, code, reason):
        super().__init__(f"{code}: {reason}")
        self.code = code


def fails(x):
    raise Coded(7, "bad")


def calls_what_fails(x):
    if x is not None:
        return fails(x)
    return x


def test_an_exception_keeps_its_type():
    """TensorFlow's AutoGraph has a StagingError for one whose class has an `__init__` of its own."""
    with pytest.raises(Coded, match=r"^7: bad$") as caught:
        compiled(calls_what_fails)(T(1))
    assert caught.value.code == 7
    with pytest.raises(Exception, match="Coded: 7: bad") as caught:
        theirs(calls_what_fails)(T(1))
    assert type(caught.value).__name__ == "StagingError"


@BOTH
def test_an_exception_of_the_trace_is_caught_as_it_is(compiler):
    def f(x):
        try:
            fails(x)
        except Coded as error:
            return x + error.code

    assert values(compiler(f)(T(1))) == 8


def mixed(x):
    return x + tf.constant(1.0)


def mixed_in_a_branch(x):
    if x > 0:
        x = mixed(x)
    return x


def frames_of(error):
    return [(f.filename, f.name) for f in traceback.extract_tb(error.__traceback__)]


def test_a_traceback_has_the_users_frames_and_none_of_ours():
    """The message is TensorFlow's; its AutoGraph writes the places into the message instead."""
    with pytest.raises(TypeError, match=r"^Input 'y' of 'AddV2'") as caught:
        compiled(mixed_in_a_branch)(T(1))
    frames = frames_of(caught.value)
    own = [name for file, name in frames if file == __file__]
    assert own[-2:] == ["mixed_in_a_branch", "mixed"]
    folders = {os.path.dirname(ag.__file__), os.path.dirname(ag.runtime.__file__)}
    assert not [file for file, _ in frames if file.startswith(tuple(folders))]
    with pytest.raises(TypeError, match=f'File "{__file__}", line .* in mixed  \\*') as caught:
        theirs(mixed_in_a_branch)(T(1))
    assert any("__autograph_generated_file" in file for file, _ in frames_of(caught.value))


# Errors when the program runs


def checked(x):
    if x < 10:
        tf.debugging.assert_positive(x, "not positive")
    return x


@BOTH
def test_a_failed_operation_tells_the_users_lines(compiler):
    made = compiler(checked)
    assert values(made(T(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive") as caught:
        made(T(-1))
    line = checked.__code__.co_firstlineno + 2
    assert f'File "{__file__}", line {line}, in checked' in caught.value.message
    assert os.path.dirname(ag.runtime.__file__) not in caught.value.message


def test_an_exception_under_a_staged_condition_is_raised_when_the_program_runs():
    """TensorFlow's AutoGraph raises it while it traces, whatever the condition will be."""

    def f(x):
        if x > 0:
            raise Coded(7, "bad")
        return x

    made = compiled(f)
    assert values(made(T(-1))) == -1
    with pytest.raises(tf.errors.OpError, match="Coded: 7: bad"):
        made(T(1))
    with pytest.raises(Exception, match="Coded: 7: bad"):
        theirs(f)(T(-1))


# Generators, iteration, truth values


def numbers():
    yield 1
    yield 2


def signs(x):
    if x > 0:
        yield 1
    yield 2


def passed_on(items):
    for item in items:  # noqa: UP028 - a loop is what it tries
        yield item


@BOTH
def test_a_loop_over_a_generator_is_unrolled(compiler):
    def f(x):
        for i in numbers():
            x += i
        return x

    assert values(compiler(f)(T(2))) == 5


@pytest.mark.parametrize(
    ("generator", "given", "describe"),
    [
        (signs, T(1), "'if' depends on a staged value, but cannot be staged"),
        (passed_on, T([1, 2]), "Python itself unpacks or iterates a staged tensor, in unconverted code"),
    ],
)
def test_what_is_staged_in_a_generator_is_refused_with_its_place(generator, given, describe):
    def f(x):
        items = generator(x)
        return next(items) + next(items, 0)

    with pytest.raises(ag.StagingError, match=describe) as caught:
        compiled(f)(given)
    line = generator.__code__.co_firstlineno + 1
    assert (caught.value.place.file, caught.value.place.line) == (__file__, line)


def test_a_loop_over_a_generator_is_staged_with_it():
    def f(x):
        return sum(passed_on(x))

    assert values(compiled(f)(T([1, 2]))) == 3
    assert values(compiled(f)(tf.data.Dataset.range(3))) == 3
    assert values(compiled(lambda x: next(signs(x)))(T(1))) == 1


def test_comprehensions():
    def f(xs, limit):
        return [x * 2 for x in xs], [x for x in xs if x > limit], tf.stack([i for i in range(4) if i > limit])

    assert values(compiled(f)(T([1, -2]), T(0))) == ([2, -4], [1], [1, 2, 3])
    with pytest.raises(NOT_A_BOOL):
        theirs(f)(T([1, -2]), T(0))


@BOTH
def test_logic(compiler):
    def f(x):
        return x > 0 and x < 5, x > 0 or x < -5, not x > 0, 0 < x < 2

    assert [values(compiler(f)(T(x))) for x in (2, -9)] == [
        (True, True, False, False),
        (False, True, True, False),
    ]


def test_bool_of_a_tensor():
    def f(x):
        return bool(x)

    assert [values(compiled(f)(T(x))) for x in (2, 0)] == [True, False]
    with pytest.raises(NOT_A_BOOL):
        theirs(f)(T(2))


def test_iter_of_a_tensor_is_refused():
    def f(x):
        return next(iter(x))

    with pytest.raises(ag.StagingError, match=r"tf\.unstack"):
        compiled(f)(T([1, 2]))
    with pytest.raises(NOT_A_BOOL):
        theirs(f)(T([1, 2]))


def test_a_value_that_a_branch_puts_into_a_list_is_there_after_it():
    """To TensorFlow's AutoGraph it is out of scope."""

    def f(x):
        seen = []
        if x > 0:
            seen.append(x + 1)
        return seen[0]

    made = compiled(f)
    assert values(made(T(1))) == 2
    with pytest.raises(tf.errors.OpError, match="IndexError: list index out of range"):
        made(T(-1))
    with pytest.raises(ValueError, match="out of scope"):
        theirs(f)(T(1))


@BOTH
def test_a_value_from_inside_a_loop_of_tensorflow_cannot_be_used_outside(compiler):
    """`tf.while_loop` runs its function as it always does."""

    def f(n):
        seen = []

        def body(i):
            seen.append(i + 1)
            return (i + 1,)

        tf.while_loop(lambda i: i < n, body, (0,))
        return seen

    with pytest.raises(ValueError, match="out of scope"):
        compiler(f)(T(3))
