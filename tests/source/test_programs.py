"""Sources of whole programs: the command line, the prompt, archives, compiled files."""

from __future__ import annotations

import compileall
import io
import sys
import zipapp
from pathlib import Path

import pytest
from backends.support import required
from source.support import (
    HELPER,
    IMPORTS,
    PRINTED,
    PROGRAM,
    SHOWN,
    STAGED,
    environment,
    fails,
    python,
    works,
)

TYPED = "the text of code typed at this prompt"


def write(folder: Path, name: str = "program.py", text: str = PROGRAM) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        ("program.py",),
        ("-m", "program"),
        ("-i", "program.py"),
        ("-c", "import runpy; runpy.run_path('program.py')"),
        ("-OO", "program.py"),
    ],
    ids=" ".join,
)
def test_a_file(tmp_path: Path, start: tuple[str, ...]):
    write(tmp_path)
    works(python(*start, cwd=tmp_path))


@pytest.mark.parametrize(
    "start",
    [(f"-c{PROGRAM}",), ("-W", "ignore", "-Xdev", "-sBc", PROGRAM, "-c", "pass")],
    ids=["joined", "behind other options"],
)
def test_a_command(tmp_path: Path, start: tuple[str, ...]):
    """`python -c` runs text that Python keeps for itself."""
    works(python(*start, cwd=tmp_path))


@pytest.mark.slow
def test_text_that_a_command_executes(tmp_path: Path):
    """It has the name of the command's text, <string>, and is another; so have dataclasses."""
    inner = PROGRAM.replace("x * 2", "x * 3")
    program = f"{IMPORTS}{HELPER}{STAGED}\nexec({inner!r})\n"
    done = python("-c", program, cwd=tmp_path)
    fails(done, "exec")
    assert "has changed" not in done.stderr
    record = "import dataclasses\n@dataclasses.dataclass\nclass Pair:\n    a: object\n    b: object\n"
    uses = "f = ag.function(lambda x: Pair(x, 2).a * 2 if np.sum(x) > 0 else -2 * x)\n" + SHOWN
    works(python("-c", f"{IMPORTS}{record}{uses}", cwd=tmp_path))


@pytest.mark.slow
def test_standard_input(tmp_path: Path):
    fails(python(cwd=tmp_path, given=PROGRAM), TYPED)
    fails(python("-c", "import code; code.interact()", cwd=tmp_path, given=f"{PROGRAM}\n"), TYPED)


def test_the_prompt(tmp_path: Path):
    """From Python 3.13 on it keeps what is typed; a file that came before it can be read on every one."""
    pexpect = required("pexpect")
    write(tmp_path, "before.py", IMPORTS + HELPER)
    shell = pexpect.spawn(
        sys.executable, ["-i", "before.py"], cwd=str(tmp_path), timeout=300, encoding="utf-8",
        env=environment(PYTHON_BASIC_REPL="1"),
    )  # fmt: skip
    shell.logfile_read = io.StringIO()
    shell.expect(">>> ")
    shell.sendline("print(ag.to_graph(helper)(np.ones(2)) + 40)")
    shell.expect(r"\[42\. 42\.\]")
    for line in (*STAGED.strip().splitlines(), "", SHOWN.rstrip(), "exit()"):
        shell.expect([">>> ", r"\.\.\. "])
        shell.sendline(line)
    shell.expect(pexpect.EOF)
    shell.close()
    shown = shell.logfile_read.getvalue()
    if sys.version_info >= (3, 13):
        assert PRINTED in shown
    else:
        assert TYPED in shown
        assert "use IPython or the prompt of Python 3.13" in shown


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt that edits came with Python 3.13")
def test_the_prompt_that_edits(tmp_path: Path):
    pexpect = required("pexpect")
    shell = pexpect.spawn(
        sys.executable, ["-q"], cwd=str(tmp_path), timeout=300, encoding="utf-8", dimensions=(50, 200),
        env=environment(TERM="xterm"),
    )  # fmt: skip
    shell.expect(">>> ")
    shell.sendline("import numpy as np, autograph_rs as ag")
    shell.expect(">>> ")
    shell.sendline("f = ag.function(lambda x: x + 41 if np.sum(x) > 0 else -x)")
    shell.expect(">>> ")
    shell.sendline("print(f(np.ones(1)))")
    shell.expect(r"\[42\.\]")
    shell.sendline("exit()")
    shell.expect(pexpect.EOF)
    shell.close()


@pytest.mark.slow
def test_an_archive(tmp_path: Path):
    """Modules in a .zip file, on the path or started as a .pyz, are read from there."""
    write(tmp_path / "app", "__main__.py", "import program\n")
    write(tmp_path / "app")
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    works(python("app.pyz", cwd=tmp_path))
    works(python("-c", "import sys; sys.path.insert(0, 'app.pyz'); import program", cwd=tmp_path))


@pytest.mark.slow
def test_compiled_files_alone(tmp_path: Path):
    path = write(tmp_path, text=PROGRAM)
    assert compileall.compile_file(path, legacy=True, quiet=1)
    path.unlink()
    fails(
        python("-c", "import program", cwd=tmp_path),
        "only compiled code is available",
        "autograph-rs convert",
    )
    fails(python("program.pyc", cwd=tmp_path), "autograph-rs convert")


def test_a_file_that_is_gone(tmp_path: Path):
    write(tmp_path, "module.py", IMPORTS + HELPER)
    deletes = "import os, module; os.remove('module.py'); module.ag.to_graph(module.helper)"
    fails(python("-c", deletes, cwd=tmp_path), "the file does not exist")


def test_a_namespace_package(tmp_path: Path):
    write(tmp_path / "space")
    works(python("-c", "import space.program", cwd=tmp_path))


def test_a_loader_with_the_text(tmp_path: Path):
    """A loader's get_source is asked, where there is no file."""
    loader = f"""
import importlib.abc, importlib.util, sys
class Loader(importlib.abc.ExecutionLoader):
    def get_filename(self, name): return "stored/in a database"
    def get_source(self, name): return {PROGRAM!r}
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, Loader()) if name == "stored" else None
sys.meta_path.insert(0, Finder())
import stored
"""
    write(tmp_path, "loads.py", loader)
    works(python("loads.py", cwd=tmp_path))
