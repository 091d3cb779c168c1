"""Errors of graphs in files."""

from __future__ import annotations

from .base import AutographError


class SaveError(AutographError, TypeError):
    """A graph, or a function, holds what cannot be written to a file.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: (x, {1, 2}))
    >>> ag.save(f.get_concrete_function(np.ones(2)), "f.json")
    Traceback (most recent call last):
        ...
    autograph_rs.SaveError: <lambda> cannot be saved: its result[1] is part of it, and a set has no ...
      File "...", line 1
        ag.save(f.get_concrete_function(np.ones(2)), "f.json")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a file holds numbers, text, arrays and structures of them
      instead: give and return such values alone
      see: docs/errors/SaveError.md

    ## Why

    A file holds numbers, text, arrays and structures of them, and calls of functions that have a name in
    [the format](../graph-format.md). It holds no code of Python, which another program need not have. A model
    of ONNX holds what ONNX has operators for: [what it cannot say](../exporting.md#what-onnx-cannot-say).
    Nothing was written, and a file of that name is what it was.

    ## Instead

    Give the function arguments and results of these kinds:

    >>> import os, tempfile
    >>> f = ag.function(lambda x: (x, (1, 2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(f.get_concrete_function(np.ones(2)), os.path.join(folder, "f.json"))
    ...     ag.load(os.path.join(folder, "f.json"))(np.ones(2))
    (array([1., 1.]), (1, 2))
    """


class FormatError(AutographError, ValueError):
    """A file or text that should hold a graph does not.

    It is damaged (`DamagedFileError`), of a later version (`VersionError`), or something else altogether.
    Nothing of it was run.

    >>> import autograph_rs as ag
    >>> ag.Graph.from_json('{"format": "something else"}')
    Traceback (most recent call last):
        ...
    autograph_rs.FormatError: format: 'something else', not 'autograph_rs graph'
      File "...", line 1
        ag.Graph.from_json('{"format": "something else"}')
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: this is no graph that autograph_rs wrote: docs/graph-format.md says what may stand where
      instead: give a file that ag.save wrote, or the text of Graph.to_json()
      see: docs/errors/FormatError.md

    ## Why

    [The format](../graph-format.md) says what a file may hold. Each part is checked before anything is
    made of it.

    ## Instead

    Give a file that `ag.save` wrote, or a text of `Graph.to_json`:

    >>> import numpy as np
    >>> graph = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph
    >>> ag.Graph.from_json(graph.to_json()).count("add")
    1
    """


class DamagedFileError(FormatError):
    """What is in a file is not what was written to it.

    >>> import autograph_rs as ag, numpy as np
    >>> text = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph.to_json()
    >>> ag.Graph.from_json(text.replace("add", "subtract"))
    Traceback (most recent call last):
        ...
    autograph_rs.DamagedFileError: sha256: the content is not what was written
      File "...", line 1
        ag.Graph.from_json(text.replace("add", "subtract"))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the file is damaged or was edited
      instead: have it again from where it came, or save the function again
      see: docs/errors/DamagedFileError.md

    ## Why

    A file holds the checksum of its content. A few bytes that are lost, or edited by hand, could make
    another graph of it that still looks like one.

    ## Instead

    Have the file again from where it came, or save the function again.

    >>> ag.Graph.from_json(text).count("add")
    1
    """


class VersionError(FormatError):
    """A file was written by a later version of this package.

    >>> import autograph_rs as ag, numpy as np
    >>> text = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph.to_json()
    >>> ag.Graph.from_json(text.replace('"version": 1', '"version": 2'))
    Traceback (most recent call last):
        ...
    autograph_rs.VersionError: version: 2 is later than 1, which this autograph_rs reads
      File "...", line 1
        ag.Graph.from_json(text.replace('"version": 1', '"version": 2'))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a later format may mean something else by the same words
      instead: use a later autograph_rs here, or save with this one
      see: docs/errors/VersionError.md

    ## Why

    A later version of [the format](../graph-format.md) may mean something else by the same words.

    ## Instead

    Update this package where the file is read, or save with the version that is there.

    >>> ag.Graph.from_json(text).count("add")
    1
    """


class MissingFileError(AutographError, FileNotFoundError):
    """There is no file, or no folder for it, of the name that was given. Its `filename` is that name.

    >>> import autograph_rs as ag
    >>> ag.load("no such folder/model.json")
    Traceback (most recent call last):
        ...
    autograph_rs.MissingFileError: there is no file 'no such folder/model.json'
      File "...", line 1
        ag.load("no such folder/model.json")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a relative path is one below the working folder
      instead: give the path that ag.save was given
      see: docs/errors/MissingFileError.md

    ## Why

    A relative path is one below the folder that the program was started in.

    ## Instead

    Give the path that `ag.save` was given:

    >>> import numpy as np, os, tempfile
    >>> double = ag.function(lambda x: x * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     ag.save(double.get_concrete_function(np.ones(2)), path)
    ...     ag.load(path)(np.ones(2))
    array([2., 2.])
    """
