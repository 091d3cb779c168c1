"""The characters of staged text: items, slices, and what iterates over them."""

import numpy as np
import pytest

import autograph_rs as ag


def signs(xs):
    found = []
    for x in xs:
        if x > 0:
            found.append("+")
        else:
            found.append("-")
            found.append("!")
    return "".join(found)


def with_loop(xs):
    count = 0
    for c in signs(xs):
        if c == "+":
            count += 1
    return count


USES = {
    "a loop": with_loop,
    "an item": lambda xs: signs(xs)[1],
    "a staged index": lambda xs: signs(xs)[int(xs[0])],
    "a negative index": lambda xs: signs(xs)[-1],
    "a slice": lambda xs: signs(xs)[1:],
    "a reversed slice": lambda xs: signs(xs)[::-1],
    "list": lambda xs: list(signs(xs)),
    "unpacking": lambda xs: [*signs(xs), "end"],
    "sorted": lambda xs: sorted(signs(xs)),
    "max": lambda xs: max(signs(xs)),
    "zip": lambda xs: sum(a == b for a, b in zip(signs(xs), signs(xs)[1:], strict=False)),
    "enumerate": lambda xs: [i for i, c in enumerate(signs(xs)) if c == "+"],
    "a comprehension": lambda xs: [c for c in signs(xs) if c != "!"],
    "a dict": lambda xs: {c: i for i, c in enumerate(signs(xs))},
    "a set": lambda xs: "!" in set(signs(xs)),
    "join of reversed": lambda xs: "".join(reversed(signs(xs))),
    "join of sorted": lambda xs: ",".join(sorted(signs(xs))),
    "join of a generator": lambda xs: "".join(f"{i}{c}" for i, c in enumerate(signs(xs))),
    "join of map": lambda xs: "".join(map(str, range(len(signs(xs))))),
    "split": lambda xs: signs(xs).split("!"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("xs", [[1.0, -1.0, 2.0], [1.0, 2.0, 3.0]])
def test_uses(use, xs):
    f = USES[use]
    assert ag.function(f)(np.array(xs)) == f(np.array(xs))


def test_an_index_out_of_range():
    staged = ag.function(lambda xs: signs(xs)[7])
    with pytest.raises(IndexError, match="string index out of range"):
        staged(np.ones(2))


def test_items_of_text_in_a_file(tmp_path):
    f = ag.function(lambda i: "ACGT"[i] + str(i)[0])
    assert f(np.int64(2)) == "G2"
    ag.save(f, tmp_path / "f.json")
    assert ag.load(tmp_path / "f.json")(np.int64(3)) == "T3"


def in_other_bases(n):
    digits = bin(n)[2:]  # noqa: FURB116 - what it tests
    return bin(n), oct(n), hex(-n), digits.count("1"), sum(int(digit) for digit in digits)


@pytest.mark.parametrize("n", np.array([0, 5, 300]))
def test_text_in_other_bases(n):
    assert ag.function(in_other_bases)(n) == in_other_bases(n)
    for value in (n * 1.0, n > 2):
        with pytest.raises(TypeError) as expected:
            bin(value)
        with pytest.raises(TypeError, match=str(expected.value)):
            ag.function(lambda v: bin(v) + "")(value)
