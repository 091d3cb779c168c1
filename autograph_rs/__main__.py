"""`python -m autograph_rs` is the command `autograph-rs`."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="python -m autograph_rs")
