"""What pyproject.toml cannot express: the README as the package index shows it.

The index has no other file of the repository, so relative links are made absolute: they lead to the files of
the release's tag.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TAG = f"{PROJECT['urls']['Source']}/blob/v{PROJECT['version']}"
README = (HERE / "README.md").read_text(encoding="utf-8")

setup(
    long_description=re.sub(r"\]\((?!https://|#)", f"]({TAG}/", README),
    long_description_content_type="text/markdown",
)
