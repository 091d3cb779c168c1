import tempfile
from pathlib import Path

from cli_support import command


def run(text, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.py").write_text(text)
        done = command(*arguments, cwd=Path(folder))
        if done.returncode:
            raise RuntimeError(done.stderr.decode())  # <-- here
        return "if_stmt" in done.stdout.decode()


TEXT = "def sign(x):\n    if x < 0:\n        x = -x\n    return x\n"


def wrong():
    return run(TEXT.replace("x < 0:", "x < 0"), "convert", "model.py", "--stdout")


def repaired():
    return run(TEXT, "convert", "model.py", "--stdout")


EXPECTED = True
