"""Errors of saving and loading graphs."""

from __future__ import annotations

from .base import AutographError


class SaveError(AutographError, TypeError):
    """A graph or function contains a value that cannot be saved.

    >>> import autograph_rs as ag, numpy as np
    >>> f = ag.function(lambda x: (x, {1, 2}))
    >>> ag.save(f.get_concrete_function(np.ones(2)), "f.json")
    Traceback (most recent call last):
        ...
    autograph_rs.SaveError: <lambda> cannot be saved because its result[1] is not serializable: a ...
      File "...", line 1
        ag.save(f.get_concrete_function(np.ones(2)), "f.json")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a file can contain only numbers, text, arrays and structures of them
      fix: pass and return only such values
      see: docs/errors/SaveError.md

    ## Why

    A file contains numbers, text, arrays, structures of them, and calls to functions that
    [the format](../graph-format.md) names. It contains no Python code, so that other programs can read it. An
    ONNX model is limited to [what ONNX can express](../exporting.md#what-onnx-cannot-express). Nothing was
    written, and an existing file of that name is unchanged.

    ## How to fix it

    Use arguments and results of these types:

    >>> import os, tempfile
    >>> f = ag.function(lambda x: (x, (1, 2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(f.get_concrete_function(np.ones(2)), os.path.join(folder, "f.json"))
    ...     ag.load(os.path.join(folder, "f.json"))(np.ones(2))
    (array([1., 1.]), (1, 2))
    """


class FormatError(AutographError, ValueError):
    """A file or text does not contain a valid graph.

    The content is damaged (`DamagedFileError`) or is not a graph at all. None of it was executed. A file of a
    later version raises `VersionError` instead.

    >>> import autograph_rs as ag
    >>> ag.Graph.from_json('{"format": "something else"}')
    Traceback (most recent call last):
        ...
    autograph_rs.FormatError: format: 'something else', not 'autograph_rs graph'
      File "...", line 1
        ag.Graph.from_json('{"format": "something else"}')
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a graph must follow the format that docs/graph-format.md describes
      fix: pass a file that ag.save wrote, or text that Graph.to_json() returned
      see: docs/errors/FormatError.md

    ## Why

    Every part of a file is checked against [the format](../graph-format.md) before it is used.

    ## How to fix it

    Pass a file that `ag.save` wrote, or the text that `Graph.to_json` returned:

    >>> import numpy as np
    >>> graph = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph
    >>> ag.Graph.from_json(graph.to_json()).count("add")
    1
    """


class DamagedFileError(FormatError):
    """The content of a file does not match its checksum.

    >>> import autograph_rs as ag, numpy as np
    >>> text = ag.function(lambda x: x + 1).get_concrete_function(np.ones(2)).graph.to_json()
    >>> ag.Graph.from_json(text.replace("add", "subtract"))
    Traceback (most recent call last):
        ...
    autograph_rs.DamagedFileError: sha256: the checksum does not match the content
      File "...", line 1
        ag.Graph.from_json(text.replace("add", "subtract"))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: the file is damaged or was edited
      fix: copy the file again from its source, or save the function again
      see: docs/errors/DamagedFileError.md

    ## Why

    A file contains a checksum of its content. Without it, lost or edited bytes could turn the graph into
    another valid graph.

    ## How to fix it

    Copy the file again from its source, or save the function again:

    >>> ag.Graph.from_json(text).count("add")
    1
    """


class MissingFileError(AutographError, FileNotFoundError):
    """The file, or its parent directory, does not exist. `error.filename` is the path.

    >>> import autograph_rs as ag
    >>> ag.load("no such folder/model.json")
    Traceback (most recent call last):
        ...
    autograph_rs.MissingFileError: the file 'no such folder/model.json' does not exist
      File "...", line 1
        ag.load("no such folder/model.json")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      why: a relative path is resolved against the working directory
      fix: pass the path that you passed to ag.save
      see: docs/errors/MissingFileError.md

    ## Why

    A relative path is resolved against the current working directory.

    ## How to fix it

    Pass the path that you passed to `ag.save`:

    >>> import numpy as np, os, tempfile
    >>> double = ag.function(lambda x: x * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     ag.save(double.get_concrete_function(np.ones(2)), path)
    ...     ag.load(path)(np.ones(2))
    array([2., 2.])
    """
