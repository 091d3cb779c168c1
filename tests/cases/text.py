"""Text with staged values: `%`, `str.format`, `str.join` and `format`."""

import numpy as np

from autograph_rs.testing import samples

XS = np.array([1.5, -2.0])


@samples((2.5,), (-1.25,))
def percent(x):
    print("x = %.2f" % x)
    return x


@samples((3, 0.25), (-7, 2.0))
def percent_of_several(n, x):
    print("%s: %5d of %-8.3e|%%" % ("run", n, x))
    return n


@samples((3, 0.25), (-7, 2.0))
def percent_with_names(n, x):
    print("%(n)d and %(x)g" % {"n": n, "x": x})
    return n


@samples((2.5,), (-1.25,))
def template_in_a_variable(x):
    template = "%s=%.1f"
    print(template % ("x", x))
    return x


@samples((2.5, 3), (-1.25, 4))
def str_format(x, n):
    print("{:.3f}|{n:>4}|{}".format(x, "a", n=n))
    return x


@samples((XS,), (-XS,))
def str_format_of_items(xs):
    print("{0[0]:.2f} {pair[1]}".format([xs[0], 1], pair=(1, xs[1])))
    return xs[0]


@samples((2.5,), (-1.25,))
def format_builtin(x):
    print(format(x, ".3f"), format(x, "+.1e"))
    return x


@samples((XS,), (-XS,))
def joined(xs):
    print(", ".join([f"{x:.1f}" for x in [xs[0], xs[1]]] + ["end"]))
    return xs[0]


@samples((2.5, 1), (-1.25, 2))
def joined_generator(x, n):
    print(" ".join(f"{v:.1f}" for v in (x, n, 3)))
    return x


@samples((2.5,), (-1.25,))
def raised(x):
    if x < 0:
        raise ValueError("negative: %.1f" % x)
    return x


@samples((2.5,), (-1.25,))
def raised_with_format(x):
    if x < 0:
        raise ValueError("negative: {:.1f} ({})".format(x, "plain"))
    return x


@samples((2.5,), (-1.25,), staged=())
def concatenated(x):
    """Plain only: Dynamo fails in `format`."""
    line = "x=" + format(x, ".1f")
    line += ";" + "%.0f" % x
    print(line + "!")
    return x


@samples((XS,), (-XS,))
def printed_in_a_loop(xs):
    total = 0.0
    for i, x in enumerate(xs):
        total += x
        print("%d: %.1f (total %.1f)" % (i, x, total))
    return total


@samples((1.0, "b"), (-1.0, "b"), (-1.0, ""))
def text_in_text(x, part):
    text = "abc" if x > 0 else "cd"
    return part in text, "z" not in text, text in "xabcy", text in ("ab", "cd"), "c" + part in text
