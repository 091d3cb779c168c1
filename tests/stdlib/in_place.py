"""Have every interpreter of an environment import converted modules in place of the originals.

`environment.py` makes an environment for its runs and puts this file there under the name
`sitecustomize`, so that the interpreter loads it at start-up, also in the processes that a test
starts itself, whatever flags it gives them. Beside it lies `in_place.json`: the folders of
installed packages that hold the runtime.

The variable AUTOGRAPH_RS_IN_PLACE names a folder of converted modules and packages. Where it is
not set, this does nothing: it imports only what the interpreter has loaded by now.
"""

from __future__ import annotations

import _warnings
import os
import site
import sys
from _frozen_importlib_external import PathFinder

OURS = {"autograph_rs", "numpy"}
ONCE = {  # cannot be loaded twice, or runs right now
    "__main__", "_frozen_importlib", "_frozen_importlib_external", "builtins", "site", "sitecustomize",
    "sys", "zipimport",
}  # fmt: skip


class InPlace:
    """The finder of converted modules; it stands before all others."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.names = {entry.partition(".")[0] for entry in os.listdir(folder)} - OURS

    def find_spec(self, fullname, path=None, target=None):
        """Python's own loader, on the converted file, also where the interpreter has a frozen one."""
        if fullname.partition(".")[0] not in self.names:
            return None
        return PathFinder.find_spec(fullname, [self.folder] if path is None else path)


def install(folder: str) -> None:
    """Load the runtime with modules of its own, then put the finder in front.

    The runtime, and NumPy below it, import some of the very modules that are to be replaced. They
    keep those copies, which no one else sees: whatever they have loaded is loaded once more for
    the tests. So is what the interpreter loaded at start-up, where that is to be replaced.
    """
    start, paths, finders, filters = [*sys.modules], [*sys.path], [*sys.meta_path], [*_warnings.filters]
    import codecs
    import encodings
    import importlib
    import json

    with open(os.path.join(os.path.dirname(__file__), "in_place.json"), encoding="utf-8") as file:
        for packages in json.load(file)["sites"]:
            site.addsitedir(packages)
    sys.modules["_pickle"] = None  # it would keep the runtime's `copyreg` for good
    importlib.import_module("autograph_rs.runtime")
    finder = InPlace(folder)
    sys.path[:], sys.meta_path[:], _warnings.filters[:] = paths, [finder, *finders], filters
    again = start if finder.names & {*start} else []
    kept = {*OURS, *ONCE, *sys.builtin_module_names} - finder.names
    for name in [*sys.modules]:
        if name.partition(".")[0] not in kept and (again or name not in start):
            del sys.modules[name]
    for name in reversed(again):  # the last begun to be loaded was the first to be done
        importlib.import_module(name)
    if again:
        codecs.unregister(encodings.search_function)  # what was loaded again has registered itself
    for place, hook in enumerate(sys.path_hooks):
        sys.path_hooks[place] = getattr(sys.modules.get(hook.__module__), hook.__name__, hook)


if __name__ == "sitecustomize" and os.environ.get("AUTOGRAPH_RS_IN_PLACE"):
    install(os.environ["AUTOGRAPH_RS_IN_PLACE"])
