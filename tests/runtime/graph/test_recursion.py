"""Functions that call themselves under a staged condition become graphs that `call` nodes call."""

import sys

import numpy as np
import pytest

import autograph_rs as ag

N, X = np.int64(5), np.float64(2.0)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def graph_of(f, *arguments):
    return ag.function(f).get_concrete_function(*arguments).graph


def test_a_recursive_call_is_a_node_and_its_graph_is_printed_once():
    graph = graph_of(fibonacci, N)
    assert [g.name for g in graph.program()] == ["fibonacci", "fibonacci"]
    assert graph.count("call") == 4
    first, second = str(graph).split("\n\n")
    assert "call fibonacci(%" in first
    assert "call fibonacci(%" in second
    assert second.startswith("fibonacci(n: int64[])")


def test_it_is_compiled_to_a_function():
    source = ag.function(factorial).get_concrete_function(N).python_source
    assert source.count("def ") == 2
    assert source.count("called1(") == 3


@pytest.mark.parametrize(("f", "arguments"), [(factorial, (N,)), (even, (N,)), (power, (X, N))])
def test_graphs_survive_serialization_and_are_compared(f, arguments):
    graph = graph_of(f, *arguments)
    read = ag.Graph.from_json(graph.to_json())
    assert read.equals(graph)
    assert graph.equals(read)
    assert str(read) == str(graph)
    assert not graph.equals(graph_of(fibonacci, N))


def test_graphs_that_differ_only_in_what_they_call_are_not_equal():
    def twice(n):
        return 1 if n <= 1 else 2 * twice(n - 1)

    def thrice(n):
        return 1 if n <= 1 else 3 * thrice(n - 1)

    assert not graph_of(twice, N).equals(graph_of(thrice, N))


def test_a_saved_function_runs_without_its_source(tmp_path):
    f = ag.function(factorial)
    assert f(N) == 120
    ag.save(f, tmp_path / "factorial.json")
    assert ag.load(tmp_path / "factorial.json")(N) == 120


def test_a_file_that_calls_a_missing_graph_is_refused():
    text = graph_of(factorial, N).to_json()
    with pytest.raises(ag.FormatError):
        ag.Graph.from_json(text.replace('"graph": 0', '"graph": 7'))


def test_drawings_contain_the_called_graph():
    graph = graph_of(factorial, N)
    assert "call factorial" in graph.to_dot()
    assert "call factorial" in graph.to_mermaid()
    assert graph.to_dot().count("subgraph") == 5


def test_a_graph_with_calls_is_inlined_with_copies_of_what_it_calls(tmp_path):
    f = ag.function(factorial)
    assert f(N) == 120
    ag.save(f, tmp_path / "factorial.json")
    loaded = ag.load(tmp_path / "factorial.json")
    outer = ag.function(lambda n: loaded(n) + loaded(n + 1))
    assert outer(N) == 120 + 720
    assert loaded(N) == 120


@pytest.mark.parametrize("optimise", [False, True])
def test_optimisation_keeps_the_value(optimise):
    def padded(n):
        unused = n * 0 + 1
        return 0 if n == 0 else padded(n - 1) + (unused - unused) + 1

    assert ag.function(padded, optimise=optimise)(N) == 5


def test_the_depth_is_limited_as_in_python():
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    f, depth = ag.function(down), np.int64(sys.getrecursionlimit() * 2)
    with pytest.raises(RecursionError) as plain:
        down(depth)
    with pytest.raises(RecursionError) as staged:
        f(depth)
    assert type(staged.value) is type(plain.value) is RecursionError
    assert f(N) == 5


def test_recursion_without_an_end_is_an_error_of_the_run():
    def endless(n):
        return endless(n + 1) if n > 0 else endless(n - 1)

    with pytest.raises(RecursionError) as caught:
        ag.function(endless)(N)
    assert type(caught.value) is RecursionError


def test_an_error_inside_leads_to_its_line():
    def item(xs, i):
        if i < 0:
            return xs[i + 100]  # fails
        return item(xs, i - 1)

    with pytest.raises(IndexError) as caught:
        ag.function(item)(np.ones(3), N)
    assert caught.traceback[-1].lineno == item.__code__.co_firstlineno + 1


def test_plain_arguments_that_stay_are_part_of_the_graph():
    def scaled(x, n, scale):
        return x if n == 0 else scaled(x * scale, n - 1, scale)

    graph = graph_of(scaled, X, N, 3)
    assert len(graph.program()[1].arguments) == 2


def test_a_recursion_that_ends_by_plain_numbers_is_unrolled():
    def descend(x, depth):
        if depth == 0:
            return x
        if x > 1:
            return descend(x / 2, depth - 1)
        return x

    assert not graph_of(descend, X, 4).count("call")


def test_a_plain_number_that_grows_without_end_is_staged():
    def halvings(x, count):
        return count if x < 1 else halvings(x / 2, count + 1)

    assert ag.function(halvings)(np.float64(100.0), 0) == halvings(100.0, 0)


def test_unrolled_activations_set_the_variables_of_outer_functions():
    def visits(k):
        calls = 0

        def go(k, depth):
            nonlocal calls
            calls += 1
            if k > 0:
                depth -= 1
                if depth:
                    go(k - 2, depth)

        go(k, 4)
        return calls

    assert ag.function(visits)(N) == visits(5)


def test_gradients():
    f = ag.value_and_grad(power)
    assert f(X, np.int64(3)) == (8.0, 12.0)
    assert ag.grad(ag.grad(power))(X, np.int64(3)) == 12.0


def test_gradients_of_a_tree_of_calls_and_of_writes():
    def products(xs):
        ys = xs * 1.0

        def run(i):
            if i < len(xs):
                ys[i] = ys[i] * ys[i - 1]
                run(i + 1)

        def total(low, high):
            if high - low == 1:
                return np.sin(ys[low])
            middle = (low + high) // 2
            return total(low, middle) * total(middle, high)

        run(np.int64(1))
        return total(np.int64(0), np.int64(len(xs)))

    xs, step = np.array([0.5, 1.0, 1.5, 2.0, 0.7]), 1e-6
    shifted = [products(xs + step * row) - products(xs - step * row) for row in np.eye(5)]
    np.testing.assert_allclose(ag.grad(products)(xs), np.array(shifted) / (2 * step), rtol=1e-5)


def test_a_gradient_would_repeat_what_is_printed():
    def loud(x, n):
        if n == 0:
            return x
        print("down")
        return x * loud(x, n - 1)

    with pytest.raises(ag.GradientError, match="print"):
        ag.grad(loud)(X, N)


def test_the_engine_says_why_a_loop_stays_in_python():
    pytest.importorskip("llvmlite")

    def total(xs):
        result = 0.0
        for x in xs:
            result += power(x, N + (x > 100))
        return result

    xs = np.arange(4.0)
    f = ag.function(total, engine="native")
    assert f(xs) == np.sum(xs**5)
    assert "call is not compiled" in str(f.get_concrete_function(xs).engine_report())


def test_onnx_models_cannot_recurse(tmp_path):
    pytest.importorskip("onnx")
    with pytest.raises(ag.SaveError, match="cannot call itself"):
        ag.function(factorial).get_concrete_function(N).to_onnx(tmp_path / "factorial.onnx")


def structure(n):
    return 0 if n == 0 else (structure(n - 1), n)


def rank(x, n):
    return np.sum(x) if n == 0 else rank(x[None], n - 1)


def growing_tuple(n, path):
    return len(path) if n == 0 else growing_tuple(n - 1, (*path, n))


def in_a_dict(n):
    found = {"text": ""}

    def go(n):
        if n > 0:
            found["text"] = "positive"
            go(n - 1)

    go(n)
    return found["text"]


@pytest.mark.parametrize(
    ("f", "arguments"), [(structure, (N,)), (rank, (np.ones(2), N)), (growing_tuple, (N, ()))]
)
def test_what_cannot_be_staged_is_refused(f, arguments):
    with pytest.raises(ag.StagedRecursionError):
        ag.function(f)(*arguments)


@pytest.mark.parametrize("n", [0, 3])
def test_items_of_outer_containers_are_carried(n):
    assert ag.function(in_a_dict)(np.int64(n)) == in_a_dict(n)


def test_two_names_of_one_written_array_are_refused():
    def fill(a, b, i):
        if i < 3:
            a[i] = b[0] + 1
            fill(a, b, i + 1)

    def f(x):
        y = x * 1.0
        fill(y, y, np.int64(0) * np.int64(x[0]))
        return y

    with pytest.raises(ag.AliasError):
        ag.function(f)(np.zeros(3))


def test_a_result_that_may_be_an_argument_is_not_written_to():
    def last(x, n):
        return x if n == 0 else last(x, n - 1)

    def f(x, n):
        y = last(x * 2, n)
        y += 1
        return y

    np.testing.assert_array_equal(ag.function(f)(np.ones(2), N), f(np.ones(2), 5))


@pytest.mark.slow
def test_constants_of_several_called_graphs_are_kept_apart():
    def female(k):
        return 1 if k == 0 else k - male(female(k - 1))

    def male(k):
        return 0 if k == 0 else k - female(male(k - 1))

    def f(n):
        return female(n), male(n)

    assert [ag.function(f)(np.int64(n)) for n in range(8)] == [f(n) for n in range(8)]


@ag.function
def decorated(n):
    if n <= 1:
        return 1
    return n * decorated(n - 1)


class Decorated:
    base = 2

    @ag.function
    def power(self, n):
        return 1 if n <= 0 else self.base * self.power(n - 1)


def test_a_function_that_is_traced_by_itself_is_recursive_too():
    assert decorated(N) == 120
    assert decorated.get_concrete_function(N).graph.program()[1].name == "decorated"
    assert Decorated().power(N) == 32


def test_a_name_that_is_bound_in_the_test_of_a_recursive_call():
    """In the first trace nothing is known of the call, so code after it counts for nothing, like the call."""

    def depth(n, d):
        if n > d and (found := depth(n, d + 1)) is not None:
            return found
        return 3 if n > 2 else None

    function = ag.function(depth)
    assert [function(np.int64(n), 0) for n in (0, 1, 3)] == [depth(n, 0) for n in (0, 1, 3)]


def test_an_operand_that_always_raises():
    def fail(n):
        raise ValueError(f"no {n}")

    def f(n):
        if n > 2 and (value := fail(n)):
            return value
        try:
            return (n < 2 or fail(n)), 1
        except ValueError:
            return False, 2

    function = ag.function(f)
    assert [function(np.int64(n)) for n in (1, 2)] == [(True, 1), (False, 2)]
    with pytest.raises(ValueError, match="no 3"):
        function(np.int64(3))


def test_a_nested_function_that_is_defined_after_an_early_return():
    def longest(parents):
        children = 0
        for parent in parents:
            if parent >= 0:
                children += 1
        if children != len(parents) - 1:
            return -1

        def depth(k):
            return 0 if parents[k] < 0 else 1 + depth(parents[k])

        return max([depth(i) for i in range(len(parents))])

    function = ag.function(longest)
    for parents in ([-1, 0, 1, 1], [-1, 0, 0, 0], [-1, -1, 0, 1]):
        assert function(np.array(parents)) == longest(np.array(parents))
