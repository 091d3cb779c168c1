import importlib.util
import tempfile
from pathlib import Path

import autograph_rs as ag


def imported(file):
    spec = importlib.util.spec_from_file_location("edited", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wrong():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "edited.py"
        file.write_text("def area(x):\n    return x * x\n")
        module = imported(file)
        file.write_text("def area(x):\n    return 3.14 * x * x\n")
        return ag.to_graph(module.area)(2)  # <-- here


def repaired():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "edited.py"
        file.write_text("def area(x):\n    return x * x\n")
        imported(file)
        file.write_text("def area(x):\n    return 3.14 * x * x\n")
        return ag.to_graph(imported(file).area)(2)


EXPECTED = 12.56
