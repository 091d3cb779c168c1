"""What MkDocs does besides: pages of files that lie elsewhere, and the reference of the API.

The documents are read in the repository too, so their links lead to files of it; on the site these are
pages. A line `::: name` stands for what the docstring of that public name says, and `::: name a b` also for
those of the members `a` and `b`.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import autograph_rs as ag

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 76  # of a signature in one line
TOP = ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "SECURITY")  # documents at the top of the repository
LINKS = (
    (rf"\]\((?:\.\./)?({'|'.join(TOP)})\.md", lambda m: f"]({m[1].lower()}.md"),
    (r"\]\((?:\.\./)?examples/(\w+)\.py\)", r"](examples/\1.md)"),
    (r"\]\(\.\./\.\./examples/(\w+)\.py\)", r"](../examples/\1.md)"),  # from a folder of docs/
    (r"\]\(docs/", "]("),
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Documents at the top of the repository, and the examples, are pages too."""
    pages = {f"{name.lower()}.md": (ROOT / f"{name}.md").read_text(encoding="utf-8") for name in TOP}
    for example in sorted(ROOT.glob("examples/*.py")):
        text = example.read_text(encoding="utf-8")
        pages[f"examples/{example.stem}.md"] = f"# {example.name}\n\n```python\n{text}```\n"
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links lead to pages of the site, and names and sessions are shown."""
    for pattern, target in LINKS:
        markdown = re.sub(pattern, target, markdown)
    markdown = re.sub(r"^::: (.+)$", lambda m: described(*m[1].split()), markdown, flags=re.MULTILINE)
    return re.sub(r"^```python\n(>>> .*?)\n*^```$", session, markdown, flags=re.MULTILINE | re.DOTALL)


def session(fence: re.Match[str]) -> str:
    """A fence with prompts, as a page shows it."""
    return "```pycon\n" + fence[1].replace("<BLANKLINE>", "") + "\n```"


# The reference


def described(name: str, *members: str) -> str:
    """Heading, signature and docstring of a public name, and of some of its members."""
    parts = []
    for path in (name, *(f"{name}.{member}" for member in members)):
        value = functools.reduce(getattr, path.split("."), ag)
        parts += ["#" * (3 if path == name else 4) + f" {path}", signature(path, value), docstring(value)]
    return "\n\n".join(part for part in parts if part)


class Bare(str):
    """An annotation as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def signature(name: str, value: Any) -> str:
    """A call with its parameters, one below the other where they are long; nothing for what nobody calls."""
    if not callable(value) or (inspect.isclass(value) and "Args:" not in (value.__doc__ or "")):
        return ""
    found = inspect.signature(value)
    parameters = [
        p if p.annotation is p.empty else p.replace(annotation=Bare(p.annotation))
        for p in found.parameters.values()
        if p.name != "self"
    ]
    nothing = found.return_annotation in (found.empty, "None")
    returned = "" if nothing else f" -> {found.return_annotation}"
    call = f"{name}{inspect.Signature(parameters)}{returned}"
    if len(call) > WIDTH:
        lines = [str(p) for p in parameters]
        kinds = [p.kind for p in parameters]
        if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
            lines.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
        call = f"{name}(\n" + "".join(f"    {line},\n" for line in lines) + f"){returned}"
    return f"```python\n{call}\n```"


def docstring(value: Any) -> str:
    """A docstring as Markdown: what is said, lists of arguments and errors, examples in fences."""
    sections = r"^(Args|Returns|Raises):\n((?:    .*\n|\n(?=    ))+)"
    text = re.sub(sections, section, f"{inspect.getdoc(value) or ''}\n", flags=re.MULTILINE)
    blocks = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(f"```python\n{b}\n```" if b.startswith(">>> ") else b for b in blocks)


def section(match: re.Match[str]) -> str:
    """Of `Args` and `Raises` each entry begins with a name and a colon; `Returns` is a sentence."""
    entries = re.split(r"\n(?! )", textwrap.dedent(match[2]).strip())
    if match[1] == "Returns":
        return f"**Returns** {' '.join(entries)}\n\n"
    rows = [" ".join(entry.split()).partition(": ") for entry in entries]
    title = {"Args": "Arguments", "Raises": "Raises"}[match[1]]
    return f"**{title}**\n\n" + "\n".join(f"- `{name}`: {said}" for name, _, said in rows) + "\n\n"
