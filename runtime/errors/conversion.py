"""Errors of conversion: source that cannot be had, read or understood."""

from __future__ import annotations

from .base import AutographError


class ConversionError(AutographError, ValueError):
    """A function, or a file, could not be converted.

    What is wrong with it is told by a class of its own where that has a name: the source cannot be had
    (`SourceError`, `StaleSourceError`, `AmbiguousSourceError`), is no Python (`SourceSyntaxError`), is
    nested too deeply (`NestingError`), uses a name of converted code (`ReservedNameError`), or a pass of
    an embedder failed (`PassError`). The place is that of the source, not that of the call.

    >>> import autograph_rs as ag
    >>> namespace = {}
    >>> exec("def f(x): return x", namespace)
    >>> try:
    ...     ag.to_graph(namespace["f"])
    ... except ag.ConversionError as error:
    ...     print(type(error).__name__, error.place)
    SourceError <string>:1

    ## Why

    The functions of this package read the text of a function; nothing can be made of one without.

    ## Instead

    What the error of the finer class says. A function that needs no conversion is left as it is by hand:

    >>> @ag.do_not_convert
    ... def helper(x):
    ...     return x
    """


class SourceError(ConversionError):
    r"""The source of a function cannot be had.

    >>> import autograph_rs as ag
    >>> text = "def half(x):\n    return x / 2 if x > 0 else 0\n"
    >>> namespace = {}
    >>> exec(text, namespace)
    >>> half = namespace["half"]
    >>> ag.to_graph(half)
    Traceback (most recent call last):
        ...
    autograph_rs.SourceError: the source of 'half' cannot be had
      File "<string>", line 1, in half
      why: it was made by exec, eval or compile, which keep no text
      instead: define it in a file, or give its text: ag.convert(f, source=text)
      see: docs/errors/SourceError.md

    ## Why

    Conversion begins with the text of the function. There is none for what `exec` made,
    for what was typed at the prompt of Python 3.12 and before, and where the program was installed
    without its files. A text that is given must hold one function of that name and those parameters.

    ## Instead

    Define the function in a file, or give its text:

    >>> ag.to_graph(half, source=text)(3.0)
    1.5

    A program that is shipped without its sources is [converted ahead of time](../command-line.md).
    """


class StaleSourceError(SourceError):
    r"""The source of a function has changed since the function was compiled.

    >>> import autograph_rs as ag, linecache
    >>> def define(text):
    ...     linecache.cache["edited.py"] = (len(text), None, text.splitlines(keepends=True), "edited.py")
    ...     exec(compile(text, "edited.py", "exec"), globals())
    >>> define("def double(x):\n    return x * 2\n")
    >>> old = double
    >>> define("def double(x):\n    return x + x\n")
    >>> ag.to_graph(old)
    Traceback (most recent call last):
        ...
    autograph_rs.StaleSourceError: the source file of 'double' has changed since the function was compiled
      File "edited.py", line 1, in double
      why: what stands there now compiles to other code than what the function runs
      instead: reload the module, or start the program again; of code that a tool made, give the text: ...
      see: docs/errors/StaleSourceError.md

    ## Why

    What is in the file now compiles to other code than the function has. To convert that would give a
    function that does something else than the one that was passed.

    ## Instead

    Reload the module, or start the program again, so that the function is what is written there:

    >>> ag.to_graph(double)(4)
    8
    """


class AmbiguousSourceError(SourceError):
    """Several functions stand at one place, and nothing tells which of them is meant.

    >>> import autograph_rs as ag
    >>> pair = [lambda x: x + 1, lambda x: x - 1]

    Python usually knows the columns of each lambda. A program that was started with `-X no_debug_ranges`, or
    with `PYTHONNODEBUGRANGES` set, has none, and there `ag.to_graph(pair[1])` raises this. So does code whose
    columns were taken away:

    >>> pair[1].__code__ = pair[1].__code__.replace(co_linetable=b"")
    >>> ag.to_graph(pair[1])
    Traceback (most recent call last):
        ...
    autograph_rs.AmbiguousSourceError: several functions at one place look like '<lambda>'
      File "...", line 1, in <lambda>
        pair = [lambda x: x + 1, lambda x: x - 1]
                ^^^^^^^^^^^^^^^
      and also:
      File "...", line 1, in <lambda>
        pair = [lambda x: x + 1, lambda x: x - 1]
                                 ^^^^^^^^^^^^^^^
      why: a function is found in its file by its line, name and parameters
      instead: give each a line of its own
      see: docs/errors/AmbiguousSourceError.md

    ## Why

    A function is found by the line where it begins and its name, a lambda also by the columns of what it
    computes. To take the first that fits would convert another function than the one that was passed.

    ## Instead

    Give each a line of its own:

    >>> pair = [
    ...     lambda x: x + 1,
    ...     lambda x: x - 1,
    ... ]
    >>> ag.to_graph(pair[1])(1)
    0
    """


class SourceSyntaxError(ConversionError):
    """A text that should be converted is no Python.

    >>> import autograph_rs as ag
    >>> ag.to_graph(lambda x: x, source="lambda x: (x")
    Traceback (most recent call last):
        ...
    autograph_rs.SourceSyntaxError: the source is no Python: '(' was never closed
      File "<source given for <lambda>>", line 1
        lambda x: (x
                  ^
      why: only what Python can compile can be converted
      instead: mend it there
      see: docs/errors/SourceSyntaxError.md

    ## Why

    Python's own parser refuses the text. Its error is the cause of this one.

    ## Instead

    Mend the line that is shown:

    >>> ag.to_graph(lambda x: x, source="lambda x: (x)")(3)
    3
    """


class NestingError(ConversionError, RecursionError):
    """Code is nested too deeply to be converted.

    >>> import autograph_rs as ag
    >>> ag.to_graph(lambda x: x, source=f"lambda x: {'(' * 300}x{')' * 300}")
    Traceback (most recent call last):
        ...
    autograph_rs.NestingError: the code is nested too deeply to be converted
      File "<source given for <lambda>>", line 1
      why: Python's parser and compiler have limits to the depth of code: too many nested parentheses
      instead: give names to parts of an expression, and move inner statements to functions of their own
      see: docs/errors/NestingError.md

    ## Why

    Python's parser and compiler have limits of their own: some hundred levels of brackets and
    indentation. What code becomes has a few levels more than the code itself.

    ## Instead

    Give names to parts of a long expression; move inner statements to a function of their own.

    >>> ag.to_graph(lambda x: x, source="lambda x: (x)")(3)
    3
    """


class ReservedNameError(ConversionError):
    """A function uses a name that converted code needs for itself.

    >>> import autograph_rs as ag
    >>> def scale(x, ag__):
    ...     return x * ag__
    >>> ag.to_graph(scale)
    Traceback (most recent call last):
        ...
    autograph_rs.ReservedNameError: converted code needs the name 'ag__' for itself
      File "...", line 1
        def scale(x, ag__):
                     ^^^^
      why: it finds the operators that it calls under that name
      instead: use another name; what was converted ahead of time needs no conversion
      see: docs/errors/ReservedNameError.md

    ## Why

    Converted code finds the operators that it calls under the name `ag__`. Code that has this name may
    also be what a conversion made: that is left as it is, and needs no other.

    ## Instead

    >>> def scale(x, factor):
    ...     return x * factor
    >>> ag.to_graph(scale)(2, 3)
    6
    """


class PassError(ConversionError, RuntimeError):
    """A pass that an embedder added failed, or broke its promise.

    >>> import autograph_rs as ag
    >>> from autograph_rs.converters import Pass, Pipeline
    >>> class Faulty(Pass):
    ...     def run(self, function):
    ...         function.body.clear()
    >>> def f(x):
    ...     return x
    >>> ag.Transpiler(passes=Pipeline().add(Faulty)).to_graph(f)
    Traceback (most recent call last):
        ...
    autograph_rs.PassError: Faulty made a tree that does not compile: empty body on FunctionDef
      File "...", line 1, in f
        def f(x):
        ^^^^^
      why: a pass that was given keeps what it promises, and leaves a tree that compiles
      instead: mend the pass: docs/embedding.md says what one may do
      see: docs/errors/PassError.md

    ## Why

    After each pass of a pipeline that was given it is seen to that what the pass promised to remove is
    gone, and that the tree still compiles. The fault is the pass's, not that of the function that was
    converted.

    ## Instead

    Mend the pass that is named. [Embedding](../embedding.md) says what a pass may do.

    >>> class Gentle(Pass):
    ...     def run(self, function):
    ...         assert function.body
    >>> ag.Transpiler(passes=Pipeline().add(Gentle)).to_graph(f)(1)
    1
    """
