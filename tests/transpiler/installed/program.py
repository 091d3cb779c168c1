"""Run functions of installed packages on one tensor system, and print what each returned as JSON."""

import json
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import shapes
import shapes.models

import autograph_rs as ag

WARNING_LINE = shapes.models.with_warning.__code__.co_firstlineno + 1
INPUTS = (-3, 0, 2, 7)


def staged(system, f):
    if system == "graph":
        function = ag.function(f)
        return lambda x: function(np.int64(x))
    if system == "jax":
        import jax

        return jax.jit(ag.convert(f))
    if system == "tensorflow":
        import tensorflow as tf

        function = tf.function(ag.convert(f), autograph=False)
        return lambda x: function(tf.constant(x)).numpy()
    import torch

    class Module(torch.nn.Module):
        def forward(self, x):
            return f(x)

    exported = {}

    def run(x):
        if not exported:
            module = ag.convert_module(Module())
            exported["f"] = torch.export.export(module, (torch.tensor(1),), strict=False).module()
        return exported["f"](torch.tensor(x))

    return run


def outcome(f, x):
    try:
        return int(f(x))
    except Exception as error:
        return "".join(traceback.format_exception(error))


FUNCTIONS = {
    "model": shapes.model,
    "partial": shapes.with_partial,
    "clamp": shapes.with_clamp,
    "namespace": shapes.with_namespace,
    "iterators": shapes.models.with_iterators,
    "warning": shapes.models.with_warning,
    "elsewhere": shapes.models.with_elsewhere,
    "method": shapes.Model().__call__,
    "class": shapes.apply_twice,
    "third-party": shapes.models.clamps.Limits(-1, 5).apply,
    "lambda": lambda x: shapes.model(x) + shapes.with_clamp(x),
}
FAILING = {"unset": shapes.models.with_unset, "frozen": shapes.with_frozen, "state": shapes.models.with_state}

system = sys.argv[1]
report = {}
if system != "plain":  # first, since "third-party" asks for the conversion of `clamps`
    for name, f in FAILING.items():
        report[name] = outcome(staged(system, f), -3)
for name, f in FUNCTIONS.items():
    run = f if system == "plain" else staged(system, f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report[name] = [outcome(run, x) for x in INPUTS]
    places = {(Path(w.filename).name, w.lineno) for w in caught if "clamps" in str(w.message)}
    if name == "warning":
        assert places == {("models.py", WARNING_LINE)}, places
print(json.dumps(report))
