"""Errors of conversion: source code that is unavailable, invalid or cannot be converted."""

from __future__ import annotations

from .base import AutographError


class ConversionError(AutographError, ValueError):
    """A function or file cannot be converted.

    Subclasses name the reason: the source is unavailable (`SourceError`, `StaleSourceError`,
    `AmbiguousSourceError`), is not valid Python (`SourceSyntaxError`), is nested too deeply
    (`NestingError`) or uses a reserved name (`ReservedNameError`), or a custom pass failed (`PassError`).
    `error.place` is the position of the source code, not of the call.

    >>> import autograph_rs as ag
    >>> namespace = {}
    >>> exec("def f(x): return x", namespace)
    >>> try:
    ...     ag.to_graph(namespace["f"])
    ... except ag.ConversionError as error:
    ...     print(type(error).__name__, error.place)
    SourceError <string>:1

    ## Why

    Conversion starts from the source code of a function.

    ## How to fix it

    Follow the instructions on the page of the subclass. A function that needs no conversion can opt out:

    >>> @ag.do_not_convert
    ... def helper(x):
    ...     return x
    """


class SourceError(ConversionError):
    r"""The source code of a function is not available.

    >>> import autograph_rs as ag
    >>> text = "def half(x):\n    return x / 2 if x > 0 else 0\n"
    >>> namespace = {}
    >>> exec(text, namespace)
    >>> half = namespace["half"]
    >>> ag.to_graph(half)
    Traceback (most recent call last):
        ...
    autograph_rs.SourceError: the source of 'half' is not available
      File "<string>", line 1, in half
      why: it was created by exec, eval or compile, which do not keep the text
      fix: define it in a file, or pass its text: convert(f, source=text)
      see: docs/errors/SourceError.md

    ## Why

    Conversion starts from the source code of a function. It is not available for functions that `exec`
    defined, for functions typed at the prompt of Python 3.12 or earlier, and for programs installed without
    source files. Source passed as `source=` must contain exactly one function with the same name and
    parameters.

    ## How to fix it

    Define the function in a file, or pass its source:

    >>> ag.to_graph(half, source=text)(3.0)
    1.5

    [Convert a program ahead of time](../command-line.md) if you ship it without source files.
    """


class StaleSourceError(SourceError):
    r"""The source file of a function has changed since the function was compiled.

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
      why: the current text compiles to different code
      fix: reload the module or restart the program; for generated code, pass its text: convert(f, ...
      see: docs/errors/StaleSourceError.md

    ## Why

    The current text of the file compiles to different code. Converting it would change what the function
    does.

    ## How to fix it

    Reload the module or restart the program, so that the function matches its file:

    >>> ag.to_graph(double)(4)
    8
    """


class AmbiguousSourceError(SourceError):
    """Several functions match a position in the source, and nothing distinguishes them.

    >>> import autograph_rs as ag
    >>> pair = [lambda x: x + 1, lambda x: x - 1]

    Python usually records the columns of each lambda. It does not if it is started with `-X no_debug_ranges`
    or with `PYTHONNODEBUGRANGES` set; then `ag.to_graph(pair[1])` raises this error. The same happens if the
    columns are removed:

    >>> pair[1].__code__ = pair[1].__code__.replace(co_linetable=b"")
    >>> ag.to_graph(pair[1])
    Traceback (most recent call last):
        ...
    autograph_rs.AmbiguousSourceError: several functions on the same line look like '<lambda>'
      File "...", line 1, in <lambda>
        pair = [lambda x: x + 1, lambda x: x - 1]
                ^^^^^^^^^^^^^^^
      and also:
      File "...", line 1, in <lambda>
        pair = [lambda x: x + 1, lambda x: x - 1]
                                 ^^^^^^^^^^^^^^^
      why: a function is located in its file by line, name and parameters
      fix: put each function on a line of its own
      see: docs/errors/AmbiguousSourceError.md

    ## Why

    A function is located by its name and first line, and a lambda also by the columns of its body. Taking the
    first match could convert a function other than the one you passed.

    ## How to fix it

    Put each function on its own line:

    >>> pair = [
    ...     lambda x: x + 1,
    ...     lambda x: x - 1,
    ... ]
    >>> ag.to_graph(pair[1])(1)
    0
    """


class SourceSyntaxError(ConversionError):
    """Source code to convert is not valid Python.

    >>> import autograph_rs as ag
    >>> ag.to_graph(lambda x: x, source="lambda x: (x")
    Traceback (most recent call last):
        ...
    autograph_rs.SourceSyntaxError: the source is not valid Python: '(' was never closed
      File "<source given for <lambda>>", line 1
        lambda x: (x
                  ^
      why: only code that Python can compile can be converted
      fix: correct the syntax error
      see: docs/errors/SourceSyntaxError.md

    ## Why

    Python's parser rejects the text. Its `SyntaxError` is the cause of this error.

    ## How to fix it

    Correct the line that the message shows:

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
      why: Python's parser and compiler limit how deeply code can nest: too many nested parentheses
      fix: assign parts of an expression to names, and move inner statements to separate functions
      see: docs/errors/NestingError.md

    ## Why

    Python's parser and compiler limit the nesting of brackets and blocks to about a hundred levels. Converted
    code is nested a few levels deeper than the original.

    ## How to fix it

    Assign parts of a long expression to variables. Move inner statements to a separate function.

    >>> ag.to_graph(lambda x: x, source="lambda x: (x)")(3)
    3
    """


class ReservedNameError(ConversionError):
    """A function uses a name that is reserved for converted code.

    >>> import autograph_rs as ag
    >>> def scale(x, ag__):
    ...     return x * ag__
    >>> ag.to_graph(scale)
    Traceback (most recent call last):
        ...
    autograph_rs.ReservedNameError: the name 'ag__' is reserved for converted code
      File "...", line 1
        def scale(x, ag__):
                     ^^^^
      why: names that begin with 'ag__' are those of operators and temporaries
      fix: rename it; if this file was already converted ahead of time, do not convert it again
      see: docs/errors/ReservedNameError.md

    ## Why

    Converted code calls its operators through the name `ag__`, and its temporaries have names such as
    `ag__return_value`. Code that already uses such names has been converted, and is not converted again.

    ## How to fix it

    Use another name:

    >>> def scale(x, factor):
    ...     return x * factor
    >>> ag.to_graph(scale)(2, 3)
    6
    """


class PassError(ConversionError, RuntimeError):
    """A custom pass failed, or broke the guarantees that it declares.

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
    autograph_rs.PassError: Faulty produced a tree that does not compile: empty body on FunctionDef
      File "...", line 1, in f
        def f(x):
        ^^^^^
      why: a custom pass must keep the guarantees that it declares, and return a tree that compiles
      fix: correct the pass; docs/embedding.md lists the rules
      see: docs/errors/PassError.md

    ## Why

    After each pass of a custom pipeline, the tree must compile and must not contain the nodes that the pass
    promises to remove. The error is in the pass, not in the function being converted.

    ## How to fix it

    Correct the pass that the message names. [Embedding](../embedding.md) documents what a pass may do.

    >>> class Gentle(Pass):
    ...     def run(self, function):
    ...         assert function.body
    >>> ag.Transpiler(passes=Pipeline().add(Gentle)).to_graph(f)(1)
    1
    """
