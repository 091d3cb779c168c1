"""Tests of liveness, by annotations; see snippets.py."""

from snippets import check_liveness


def test_live_in_straight_line():
    check_liveness("""
        a = x        # live: x, y
        x = 1        # live: a, y
        b = a + y    # live: a, x, y
        b = x        # live: x
        return b     # live: b
    """)


def test_live_in_while():
    check_liveness("""
        total = 0           # live: n
        while n:            # live: n, total
            total += n      # live: n, total
            n -= 1          # live: n, total
        return total        # live: total
    """)


def test_live_in_if():
    check_liveness("""
        if n:               # live: n, x, y
            a = x           # live: x
        elif x:             # live: x, y
            a = y           # live: y
        else:
            return          # live:
        return a            # live: a
    """)


def test_live_in_for():
    check_liveness("""
        last = None         # live: xs
        for i in xs:        # live: xs, last
            last = i        # live: i
        else:
            n = last        # live: last
        return n            # live: n
    """)


def test_live_across_jumps():
    check_liveness("""
        for i in xs:        # live: xs, n, x, y
            if i:           # live: i, n, x, y
                n = 1       # live: y
                break       # live: n, y
            if x:           # live: i, n, x, y
                continue    # live: n, x, y
            return i        # live: i
        else:
            y = x           # live: x, n
        return n, y         # live: n, y
    """)


def test_live_in_handlers():
    """An exception may skip a binding in a `try`, so the previous value stays live."""
    check_liveness("""
        a = 1               # live: x, y
        try:                # live: a, x, y
            a = x           # live: a, x, y
            b = y           # live: a, y
        except ValueError:
            b = a           # live: a
        return b            # live: b
    """)


def test_live_in_finally():
    check_liveness("""
        try:                # live: n, x, y
            if n:           # live: n, x, y
                return x    # live: x, y
            x = y
        finally:
            print(y)        # live: x, y
        return x            # live: x
    """)


def test_jumps_pass_through_finally():
    check_liveness("""
        while n:            # live: n, x, y
            try:            # live: x, y
                break       # live: x, y
            finally:
                n = y       # live: x, y
        return x            # live: x
    """)


def test_live_in_with():
    """A context manager may swallow, so every step of the block leads to what follows."""
    check_liveness("""
        a = 0               # live: x, y
        with x as c:        # live: a, x, y
            y()             # live: a, c, y
            a = c           # live: a, c
        return a            # live: a
    """)


def test_live_in_match():
    check_liveness("""
        match x:                    # live: n, x, y
            case 1:
                return y            # live: y
            case [a, *rest] if n:
                x = a               # live: a, rest
                return rest         # live: rest
        return x                    # live: x
    """)


def test_walrus_binds():
    check_liveness("""
        if (a := x):                # live: n, x
            return a                # live: a
        while (y := n):             # live: n
            x = y                   # live: n, y
        return y                    # live: y
    """)


def test_comprehension_scope_is_its_own():
    check_liveness("""
        i = 1                               # live: n, xs, y
        a = [i + n for i in xs if i]        # live: i, n, xs, y
        b = {k: [j for j in k] for k in y}  # live: a, i, y
        return a, b, i                      # live: a, b, i
    """)


def test_captures_are_always_live():
    """A closure may read what it takes at any later time, also before it is made again."""
    check_liveness("""
        a = 1                   # live: a, x, xs
        g = lambda: a + x       # live: a, x, xs
        a = 2                   # live: a, g, x, xs
        h = (x for y in xs)     # live: a, g, x, xs
        return g, h             # live: a, g, h, x
    """)


def test_class_bodies_capture():
    check_liveness("""
        a = x            # live: a, x
        class C:         # live: a
            b = a
        return C         # live: C, a
    """)


def test_nonlocal_and_global_are_always_live():
    check_liveness("""
        global g        # live: g, n
        g = n           # live: g, n
        n = 1           # live: g
        return          # live: g
    """)


def test_del_ends_a_life():
    check_liveness("""
        a = x            # live: x
        del a            # live: a
        a = 2            # live:
        return a         # live: a
    """)


def test_except_as_ends_a_life():
    check_liveness("""
        e = n                       # live: n, x
        try:                        # live: e, x
            x()                     # live: e, x
        except ValueError as e:
            return e                # live: e
        return e                    # live: e
    """)


def test_augmented_assignment_reads():
    check_liveness("""
        n += 1           # live: n, x, y
        x[n] += 1        # live: n, x, y
        y.a += n         # live: n, y
        return y         # live: y
    """)


def test_live_in_a_function_that_calls_itself():
    """Nothing binds `rec` again, so no statement has to carry it for those that capture it."""
    check_liveness("""
        if x:                                   # live: x, y
            return y                            # live: y
        else:
            def rec(k):                         # live:
                return rec(k - 1)
            z = lambda: rec(1)                  # live:
            y = z()                             # live: z
        return y                                # live: y
    """)


def test_live_in_a_function_that_later_code_captures():
    check_liveness("""
        if x:                                   # live: x, rec
            def rec(k):                         # live: rec
                return rec(k - 1)
        y = lambda: rec(1)                      # live: rec
        return y                                # live: y, rec
    """)
