"""The transpiler as a part of another framework: operators, replacements, rules, passes."""

# ruff: noqa: SIM103, PERF402, RUF015 - functions as users write them

import functools
import sys
import types

import gast
import numpy as np
import pytest

import autograph_rs as ag
from autograph_rs import converters


def is_positive(x):
    if x > 0:
        return True
    return False


def is_converted_here():
    return "ag__" in sys._getframe(1).f_code.co_freevars


def counted(n):
    found = []
    for i in range(n):
        found.append(i)
    return found


# Replacements and hooks


def test_builtins_are_replaced_in_one_transpiler_only():
    tens = ag.Transpiler(builtins={range: lambda n: [10 * i for i in range(n)]})
    assert tens.to_graph(counted)(3) == [0, 10, 20]
    assert ag.to_graph(counted)(3) == [0, 1, 2]


def test_any_callable_can_be_replaced():
    def total(xs):
        return np.sum(xs), is_positive(2)

    mine = ag.Transpiler(builtins={np.sum: lambda xs: "sum", is_positive: lambda x: "positive"})
    assert mine.to_graph(total)([1, 2]) == ("sum", "positive")


class Layer:
    def __call__(self, x):
        return x + 1


def test_a_hook_is_asked_for_objects_but_not_for_functions_and_classes():
    asked = []

    def hook(callable_object):
        asked.append(callable_object)
        return (lambda x: ("hooked", x)) if isinstance(callable_object, Layer) else None

    layer, double = Layer(), functools.partial(int.__mul__, 2)

    def f(x):
        return layer(x), double(x), abs(x), is_positive(x), Layer() is not None

    assert ag.Transpiler(call_hook=hook).to_graph(f)(3) == (("hooked", 3), 6, 3, True, True)
    assert asked == [layer]


def test_a_hook_that_gives_no_callable():
    def f(layer):
        return layer(1)

    mine = ag.Transpiler(call_hook=lambda _: 3)
    with pytest.raises(TypeError, match="the call hook returned 3 for a Layer"):
        mine.to_graph(f)(Layer())


def test_replacements_reach_what_is_called_indirectly():
    class Model:
        def step(self):
            return "step"

        @classmethod
        def made(cls):
            return "made"

    layer = Layer()
    mine = ag.Transpiler(
        builtins={max: lambda *given: "max", Model.step: lambda self: "other", Model.made: lambda: "else"},
        call_hook=lambda f: (lambda x: "hooked") if isinstance(f, Layer) else None,
    )

    def f(model):
        return functools.partial(max, 1)(2), model.step(), model.made(), functools.partial(layer, 1)()

    assert mine.to_graph(f)(Model()) == ("max", "other", "else", "hooked")


def test_replacements_count_in_blocks_and_beside_converted_call():
    def f():
        with ag.do_not_convert():
            inside = max(1, 2)
        return inside, max(1, 2)

    def converted_call(function, args, kwargs):
        return "called", function(*args, **kwargs)

    replaced = {max: lambda *given: "max"}
    assert ag.Transpiler(builtins=replaced).to_graph(f)() == ("max", "max")
    operators = types.SimpleNamespace(converted_call=converted_call)
    mine = ag.Transpiler(operators=operators, builtins=replaced)
    assert mine.to_graph(lambda: max(1, 2))() == ("called", "max")


@pytest.mark.parametrize(
    "arguments",
    [
        {"passes": []},
        {"passes": converters.Pipeline},
        {"rules": [is_positive]},
        {"rules": {3: True}},
        {"rules": {"module": True}},
        {"builtins": [max]},
        {"builtins": {max: 3}},
        {"builtins": {"max": max}},
        {"rules": {is_positive: "no"}},
        {"include": None},
        {"features": 3},
        {"call_hook": 3},
        {"include": "numpy.*"},
        {"exclude": "numpy.*"},
        {"include": [np]},
    ],
)
def test_arguments_of_another_kind(arguments):
    with pytest.raises(TypeError, match=r"not |a key of rules must be"):
        ag.Transpiler(**arguments)


# Rules


def helper():
    return is_converted_here()


class Model:
    def step(self):
        return is_converted_here()

    def other(self):
        return is_converted_here()


def calls():
    return helper(), Model().step(), Model().other()


@pytest.mark.parametrize(
    ("rules", "result"),
    [
        ({}, (True, True, True)),
        ({helper: False}, (False, True, True)),
        ({Model: False}, (True, False, False)),
        ({Model: False, Model.step: True}, (True, True, False)),
        ({sys.modules[__name__]: False, helper: True}, (True, False, False)),
    ],
)
def test_the_nearest_rule_counts(rules, result):
    assert ag.Transpiler(rules=rules).to_graph(calls)() == result


def test_a_rule_converts_what_a_package_holds():
    import colorsys

    def f():
        return colorsys.rgb_to_hsv(0.5, 0.25, 0.25)

    plain, mine = ag.Transpiler(), ag.Transpiler(rules={colorsys: True})
    assert plain.to_graph(f)() == mine.to_graph(f)() == f()
    assert not plain.has_converted(colorsys.rgb_to_hsv)
    assert mine.has_converted(colorsys.rgb_to_hsv)


class Inherits(Model):
    def own(self):
        return is_converted_here()


@pytest.mark.parametrize(
    ("rules", "result"),
    [({Inherits: False}, (False, False)), ({Inherits: False, Model.step: True}, (True, False))],
)
def test_a_rule_for_a_class_is_one_for_what_it_inherits(rules, result):
    assert ag.Transpiler(rules=rules).to_graph(lambda: (Inherits().step(), Inherits().own()))() == result


# Passes and features


class CountNames(converters.Pass):
    follows = ("Normalise",)
    seen: list[str] = []

    def run(self, function):
        self.seen.extend(n.id for n in gast.walk(function) if isinstance(n, gast.Name))


def test_a_pass_more():
    CountNames.seen.clear()
    passes = converters.Pipeline().add(CountNames, after="Normalise")
    assert ag.Transpiler(passes=passes).to_graph(is_positive)(2)
    assert CountNames.seen.count("x") == 2  # the parameter, and its one use


def test_a_pass_in_the_place_of_another():
    class Quiet(converters.Pass):
        def run(self, function):
            """Leaves expressions as they are."""

    quiet = ag.Transpiler(passes=converters.Pipeline().replace("Operators", Quiet))
    assert "ag__.callee" not in quiet.to_code(counted)
    assert "ag__.for_stmt" in quiet.to_code(counted)
    assert quiet.to_graph(counted)(2) == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.without("LowerJumps"), "ControlFlow needs LowerJumps before it"),
        (lambda p: p.without("Unknown"), "unknown pass Unknown: the passes are Normalise, LowerMatch"),
        (lambda p: p.add(CountNames, before="Normalise"), "CountNames must come after Normalise"),
        (lambda p: p.add(p.passes[1]), "two passes are named LowerMatch"),
        (lambda p: p.add(CountNames, before="Operators", after="Normalise"), "not both"),
        (lambda p: p.only(["calls", "loops"]), "unknown feature 'loops': the features are comparisons"),
    ],
)
def test_a_place_is_checked(change, message):
    with pytest.raises(converters.PipelineError, match=message):
        change(converters.Pipeline())


def test_a_pass_that_fails_is_told():
    class Faulty(converters.Pass):
        def run(self, function):
            raise KeyError("boom")

    mine = ag.Transpiler(passes=converters.Pipeline().add(Faulty))
    with pytest.raises(ag.PassError, match=r"Faulty failed on is_positive: KeyError\('boom'\)"):
        mine.to_graph(is_positive)


def test_features_of_other_operators():
    class Mine(converters.Operators):
        """Knows the same rewriters."""

    passes = converters.Pipeline().replace("Operators", Mine)
    chosen = ag.Transpiler(passes=passes, features={"calls"}).pipeline
    assert issubclass(chosen.passes[-1], Mine)
    assert [kind.__name__ for kind in chosen.passes[-1].rewriters] == ["Calls"]


def test_features():
    def f(x):
        if x > 0 and not x > 5:
            return abs(x)
        return f"{x}"

    only_control_flow = ag.Transpiler(features={"control_flow"}).to_code(f)
    assert "ag__.if_stmt" in only_control_flow
    assert "ag__.callee" not in only_control_flow
    assert "ag__.and_" not in only_control_flow
    only_calls = ag.Transpiler(features={"calls"})
    assert "ag__.callee(abs)(x)" in only_calls.to_code(f)
    assert "if_stmt" not in only_calls.to_code(f)
    assert only_calls.to_graph(f)(3) == 3


@pytest.mark.parametrize("left_out", converters.FEATURES)
def test_each_feature_can_be_left_out(left_out):
    def f(xs, n):
        found = []
        while n > 0 and len(found) < 3:
            for x in xs:
                if x == n or x in (7, 9):
                    found.append([x for x in xs if x > 1][0])
                    break
            n -= 1
        first, *rest = found
        return f"{first} {rest}"

    features = converters.FEATURES.keys() - {left_out}
    assert ag.Transpiler(features=features).to_graph(f)([1, 2, 3], 3) == f([1, 2, 3], 3)


# What it made


def test_has_converted_and_original():
    mine = ag.Transpiler(name="mine")
    assert repr(mine) == "<Transpiler 'mine'>"
    assert not mine.has_converted(is_positive)
    made, thin = mine.to_graph(is_positive), mine.convert(is_positive)
    assert mine.has_converted(is_positive)
    assert mine.has_converted(made)
    assert not ag.Transpiler().has_converted(is_positive)
    assert mine.original(made) is mine.original(thin) is mine.original(is_positive) is is_positive
    assert mine.to_graph(made) is made
    model = Model()
    assert mine.original(mine.to_graph(model.step)) is Model.step
    with pytest.raises(TypeError):
        mine.original(3)


def test_source_map():
    mine = ag.Transpiler()
    code = mine.to_code(counted).splitlines()
    made = mine.source_map(counted)
    first = counted.__code__.co_firstlineno
    places = {line.strip(): made.original(i) for i, line in enumerate(code, 1) if line}
    assert places["ag__.callee(found.append)(i)"] == (__file__, first + 3, 8)
    assert places["return found"] == (__file__, first + 4, 4)
    assert made.original(1) == (__file__, first, 0)
    assert {line for _, line, _ in places.values()} <= set(range(first, first + 5))


def test_source_map_of_a_lambda():
    function = lambda x: x if x > 0 else -x  # noqa: E731 - a lambda is what is tried
    made = ag.Transpiler().source_map(function)
    assert made.original(1)[1] == function.__code__.co_firstlineno


def test_what_others_made_is_known():
    thin, made = ag.convert(is_positive), ag.to_graph(is_positive)
    mine = ag.Transpiler()
    assert mine.original(thin) is mine.original(made) is is_positive
    assert mine.to_code(thin) == mine.to_code(is_positive)
    assert mine.to_graph(thin)(2)


def test_do_not_convert_of_a_static_method_that_is_converted():
    @ag.convert
    def other():
        return is_converted_here()

    class Holder:
        @ag.do_not_convert
        @staticmethod
        @ag.convert
        def static():
            return is_converted_here()

    assert ag.to_graph(lambda: (other(), Holder.static()))() == (True, False)


# `convert` of an embedder


def positive(cond, body, orelse, get_state, set_state, names, nouts):
    body()


@pytest.mark.parametrize(
    "arguments",
    [
        {"operators": types.SimpleNamespace(if_stmt=positive)},
        {"builtins": {is_positive: lambda x: True}},
        {"call_hook": lambda f: (lambda x: True) if isinstance(f, Layer) else None},
    ],
)
def test_what_an_embedder_converts_runs_converted_code(arguments):
    """No backend has to be staging, and a block counts."""
    mine, layer = ag.Transpiler(**arguments), Layer()

    @mine.convert
    def f(x):
        if x > 0:
            return True, True
        return is_positive(x), layer(x)

    def g(x):
        return f(x)

    assert True in f(-1)
    assert True in ag.to_graph(g)(-1)
    with ag.do_not_convert():
        assert f(-1) == (False, 0)
