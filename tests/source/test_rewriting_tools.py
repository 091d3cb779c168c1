"""Sources of code that a tool has a hand in: doctest, pytest, coverage, import hooks that rewrite."""

from __future__ import annotations

from pathlib import Path

import pytest
from backends.support import required
from source.support import HELPER, IMPORTS, PRINTED, PROGRAM, STAGED, python

DOCTEST = '''
def documented():
    """
    >>> import numpy as np, autograph_rs as ag
    >>> def helper(x):
    ...     return x - 1 if np.sum(x) > 10 else x + 1
    >>> @ag.function
    ... def f(x):
    ...     if np.sum(x) > 0:
    ...         return x * 2
    ...     return helper(-x)
    >>> f(np.ones(2)), f(-np.ones(2))
    (array([2., 2.]), array([2., 2.]))
    """
'''
ASSERTS = f"""
{IMPORTS}
def helper(x):
    assert x is not None and len(x.shape) == 1, "with a message"
    if np.sum(x) > 10:
        assert isinstance(x, object)
        return x - 1
    return x + 1
{STAGED}
"""
TESTS = f'''
import linecache
import pytest
{ASSERTS}
import plugin

@pytest.mark.parametrize("call", [f, plugin.f])
def test_values(call):
    assert call(np.ones(2)).tolist() == call(-np.ones(2)).tolist() == [2, 2]

def test_inner():
    def inner(x):
        assert x is not None
        return x if np.sum(x) > 0 else -x
    assert ag.function(inner)(-np.ones(2)).tolist() == [1, 1]

def test_rewritten(request):
    rewrites = request.config.getoption("assertmode") == "rewrite"
    assert ("@pytest_ar" in globals()) == ("@pytest_ar" in vars(plugin)) == rewrites

def test_change():
    """The assertions of a function do not hide that its file has changed."""
    with open(plugin.__file__, "a+") as file:
        file.seek(0)
        text = file.read().replace("x + 1", "x + 2")
        file.truncate(0)
        file.write(text)
    plugin.helper.__code__ = plugin.helper.__code__.replace()
    with pytest.raises(ag.ConversionError, match="has changed"):
        ag.to_graph(plugin.helper)
'''
CONFTEST = "import pytest\npytest.register_assert_rewrite('plugin')\nimport plugin\n"


@pytest.mark.slow
def test_doctest(tmp_path: Path):
    (tmp_path / "documented.py").write_text(DOCTEST, encoding="utf-8")
    done = python("-m", "doctest", "-v", "documented.py", cwd=tmp_path)
    assert "4 passed" in done.stdout, done.stdout
    done = python("-m", "pytest", "-q", "--doctest-modules", "documented.py", cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--assert=plain",)], ids=["rewritten", "plain"])
def test_assertions_that_pytest_rewrites(tmp_path: Path, options: tuple[str, ...]):
    """In a test module, and in a module that is registered for it."""
    for name, text in {"test_given.py": TESTS, "plugin.py": ASSERTS, "conftest.py": CONFTEST}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = python("-m", "pytest", "-q", *options, "-p", "no:cacheprovider", cwd=tmp_path)
    assert "5 passed" in done.stdout, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("core", ["ctrace", "pytrace", "sysmon"])
def test_code_that_coverage_counts(tmp_path: Path, core: str):
    required("coverage")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = python("-m", "coverage", "run", "--branch", "program.py", cwd=tmp_path, COVERAGE_CORE=core)
    assert PRINTED in done.stdout, done.stderr


TYPED = f"{IMPORTS}{HELPER}{STAGED}".replace("def f(x):", "def f(x: object) -> object:\n    y: object = x")
USES_TYPED = "import typed, numpy as np; print('made', typed.f(np.ones(2)), typed.f(-np.ones(2)))"


def test_an_import_hook(tmp_path: Path):
    """Code that typeguard adds to a function on import is not part of the converted one."""
    required("typeguard")
    text = TYPED.replace("@ag.function\n", "") + "checked, f = f, ag.function(f)\n"
    (tmp_path / "typed.py").write_text(text, encoding="utf-8")
    hook = "import typeguard; typeguard.install_import_hook('typed');"
    shows = "assert 'check_argument_types_internal' in typed.checked.__code__.co_names"
    done = python("-c", f"{hook}{USES_TYPED}; {shows}", cwd=tmp_path)
    assert (PRINTED in done.stdout, done.stderr) == (True, "")


def test_a_decorator_that_writes_code(tmp_path: Path):
    """beartype puts a function of its own around another: above ours it does, and below the error says so."""
    required("beartype")
    text = f"{IMPORTS}import beartype\n{HELPER}{STAGED}".replace("f(x):", "f(x: np.ndarray):")
    above = text.replace("@ag.function", "@beartype.beartype\n@ag.function")
    (tmp_path / "typed.py").write_text(above, encoding="utf-8")
    refuses = "print('made', typed.f(np.ones(2)), typed.f(-np.ones(2))); typed.f(3)"
    done = python("-c", f"import typed, numpy as np; {refuses}", cwd=tmp_path)
    assert PRINTED in done.stdout, done.stderr
    assert "BeartypeCallHintParamViolation" in done.stderr
    below = text.replace("@ag.function", "@ag.function\n@beartype.beartype")
    (tmp_path / "typed.py").write_text(below, encoding="utf-8")
    done = python("typed.py", cwd=tmp_path)
    assert "a decorator created it with exec" in done.stderr, done.stderr
    assert "move that decorator above the one from autograph_rs" in done.stderr


def test_an_import_hook_that_keeps_to_itself(tmp_path: Path):
    """A loader that compiles other text than it gives is noticed."""
    loads = """
import importlib.machinery, importlib.util
class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        return compile(self.get_data(self.path).decode().replace("* 2", "* 3"), self.path, "exec")
spec = importlib.util.spec_from_file_location("program", "program.py", loader=Loader("program", "program.py"))
spec.loader.exec_module(importlib.util.module_from_spec(spec))
"""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = python("-c", loads, cwd=tmp_path)
    assert "the source file of 'f' has changed" in done.stderr, done.stderr
