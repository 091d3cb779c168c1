"""Run the command `autograph-rs` with `python -m autograph_rs`."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="python -m autograph_rs")
