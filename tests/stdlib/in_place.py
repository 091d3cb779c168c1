"""Have every interpreter of an environment import converted modules in place of the originals.

`run.py` makes an environment for its runs and puts this file there under the name
`sitecustomize`, so that the interpreter loads it at start-up, also in the processes that a test
starts itself, whatever flags it gives them. Beside it lies `in_place.json`:

- `sites`: the folders of installed packages that the environment borrows
- `converted`: the folder of converted modules

The variable AUTOGRAPH_RS_IN_PLACE names the modules to replace, with commas between.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import os
import site
import sys
from pathlib import Path


class InPlace:
    """The finder of converted modules; it stands before all others."""

    def __init__(self, folder: Path, names: frozenset[str]) -> None:
        self.folder = folder
        self.names = names

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Python's own loader of source files, on the converted file."""
        if fullname not in self.names:
            return None
        return importlib.util.spec_from_file_location(fullname, self.folder / f"{fullname}.py")


def install() -> None:
    """Load the runtime with the original modules, then put the finder in front.

    The runtime, and NumPy below it, import some of the very modules that are to be replaced;
    they keep the originals. Plain runs load the runtime as well, so that both start equal.
    """
    settings = json.loads(Path(__file__).with_name("in_place.json").read_text(encoding="utf-8"))
    for folder in settings["sites"]:
        site.addsitedir(folder)
    importlib.import_module("autograph_rs.runtime")
    names = frozenset(filter(None, os.environ.get("AUTOGRAPH_RS_IN_PLACE", "").split(",")))
    for name in names:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, InPlace(Path(settings["converted"]), names))


if __name__ == "sitecustomize":
    install()
