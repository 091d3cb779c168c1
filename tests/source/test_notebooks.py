"""Sources in notebooks and in IPython: cells, cells anew, magics, files that a cell writes and reloads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from backends.support import required
from source.support import HELPER, IMPORTS, PRINTED, PROGRAM, SHOWN, STAGED, environment, python, works

MODULE = "import numpy as np\ndef w(x):\n    if np.sum(x) > 0:\n        return x * 3\n    return x\n"
LATER = MODULE.replace("    if", "    # longer by a line\n    if").replace("x * 3", "x * 4")
CALL = "print(ag.function({})(np.ones(2)))"
CALL_G, CALL_W = CALL.format("g"), CALL.format("written.w")
DEFINED = "def g(x):\n    if np.sum(x) > 0:\n        return x * {}\n    return x\n"

CHANGE = f"""
import os
with open("written.py", "w") as file:
    _ = file.write({LATER!r})
os.utime("written.py", (2e9, 2e9))
"""

CELLS = {  # by what each shows, a cell, and what it prints
    "imports": (IMPORTS, ""),
    "a function": (HELPER, ""),
    "a function that calls one of another cell": (STAGED + SHOWN, PRINTED),
    "a function anew": (HELPER.replace("x + 1", "x + 100"), ""),
    "what calls it": ("print(ag.function(f.python_function)(-np.ones(2)))", "[101. 101.]"),
    "imports and a function in one cell": (PROGRAM, PRINTED),
    "a command for the shell": (f"!echo from the shell\n{DEFINED.format(5)}" + CALL_G, "[5. 5.]"),
    "a command in it": (DEFINED.format(6).replace("if", "!echo inside\n    if") + CALL_G, "[6. 6.]"),
    "await": (f"import asyncio\nawait asyncio.sleep(0)\n{DEFINED.format(7)}" + CALL_G, "[7. 7.]"),
    "__future__": (f"from __future__ import annotations\n{DEFINED.format(8)}" + CALL_G, "[8. 8.]"),
    "a cell after them": ("def h(x):\n    def inner(y: no.such) -> name: return y if np.sum(y) > 0 else -y\n"
                          "    return inner(x)\n" + CALL.format("h"), "[1. 1.]"),
    "%%time": (f"%%time\n{DEFINED.format(9)}" + CALL_G, "[9. 9.]"),
    "%time": ("%time ag.function(lambda x: x * 2 if np.sum(x) > 0 else x)(np.ones(2))", "2., 2."),
    "%%capture": (f"%%capture kept\n{DEFINED.format(10)}" + CALL_G, ""),
    "what it captured": ("print(kept.stdout)", "[10. 10.]"),
    "%%timeit": (f"%%timeit -n1 -r1\n{DEFINED.format(1)}" + CALL_G, "a cell without that magic"),
    "%%prun": (f"%%prun -q\n{DEFINED.format(1)}" + CALL_G, "is not available"),
    "a cell in one": (f"get_ipython().run_cell({DEFINED.format(11)!r})\n" + CALL_G, "[11. 11.]"),
    "%%writefile": (f"%%writefile written.py\n{MODULE}", "written.py"),
    "its module": ("import written\n%load_ext autoreload\n%autoreload 2\n" + CALL_W, "[3. 3.]"),
    "the file changes": (CHANGE, ""),
    "%autoreload": (CALL_W, "[4. 4.]"),
    "a file that is run": ("%run program.py\nprint(ag.to_graph(helper)(np.ones(2)))", f"{PRINTED}\n[2. 2.]"),
    "an error": (f"@ag.function\n{DEFINED.format('{}').replace('*', '/')}g(np.ones(2))", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the output of each cell."""
    for name in ("nbclient", "ipykernel", "nbformat"):
        required(name)
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "cells.json").write_text(json.dumps([text for text, _ in CELLS.values()]), encoding="utf-8")
    done = python(Path(__file__).with_name("notebook.py"), "cells.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return dict(zip(CELLS, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.mark.needs("nbclient")
@pytest.mark.parametrize("name", CELLS)
def test_a_cell(outputs: dict[str, str], name: str):
    assert CELLS[name][1] in outputs[name], outputs[name]
    fails = name in {"%%timeit", "%%prun", "an error"}
    assert ("Traceback" in outputs[name]) is fails, outputs[name]


@pytest.mark.needs("nbclient")
def test_a_traceback_names_the_cell_and_the_line(outputs: dict[str, str]):
    number = [*CELLS].index("an error") + 1
    shown = outputs["an error"]
    assert f"Cell In[{number}], line 6" in shown
    assert f"Cell In[{number}], line 4, in g" in shown
    assert "/autograph_rs/" not in shown


def test_a_command_of_ipython(tmp_path: Path):
    required("IPython")
    works(python("-m", "IPython", "--no-banner", "--simple-prompt", "-c", PROGRAM, cwd=tmp_path))


def test_the_prompt_of_ipython(tmp_path: Path):
    required("IPython")
    pexpect = required("pexpect")
    shell = pexpect.spawn(
        sys.executable, ["-m", "IPython", "--no-banner", "--simple-prompt", "--no-autoindent"],
        cwd=str(tmp_path), timeout=300, encoding="utf-8", env=environment(IPYTHONDIR=str(tmp_path)),
    )  # fmt: skip
    shell.expect(r"In \[1\]: ")
    for number, lines in enumerate([IMPORTS.replace("\n", ";"), HELPER, STAGED, SHOWN], 2):
        done = rf"In \[{number}\]: "
        for line in (*lines.strip().splitlines(), ""):
            shell.sendline(line)  # at a prompt only: what is typed ahead is echoed amid the output
            if shell.expect([done, r"\.\.\.: "]) == 0:
                break
    assert PRINTED in shell.before
    shell.sendline("exit()")
    shell.expect(pexpect.EOF)
    shell.close()
