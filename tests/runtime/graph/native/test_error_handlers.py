"""Loops in a `try` stay machine code, and what they raise arrives at its handlers."""

from __future__ import annotations

import numpy as np
from native_support import check, needs_llvm

pytestmark = needs_llvm


def test_an_index_out_of_bounds():
    def f(xs, places):
        total, text = 0.0, ""
        try:
            for place in places:
                total += xs[place] * 0.5
        except IndexError as error:
            text = str(error)
        return total, text

    xs = np.arange(5.0)
    check(f, (xs, np.array([1, 2, 4])), (xs, np.array([1, 2, 7])), (xs, np.array([0, -6, 2])))


def test_a_write_out_of_bounds():
    def f(n):
        xs, i = np.zeros(8), 0
        try:
            while i < n:
                xs[i] = xs[i - 1] + 1.0
                i += 1
        except IndexError:
            i = -1
        return xs, i

    check(f, (np.int64(5),), (np.int64(9),))


def test_items_of_lists():
    def f(n, m):
        values, total, i = [k * 0.5 for k in range(int(n))], 0.0, 0
        text = ""
        try:
            while i < int(m):
                total += values[i]
                values[i] = total
                i += 1
        except IndexError as error:
            text = str(error)
        return total, i, text

    check(f, (np.int64(4), np.int64(4)), (np.int64(4), np.int64(6)), (np.int64(0), np.int64(1)))


def test_divisions_of_numbers():
    def f(n, k):
        total, whole, i, divisor = 0.0, 0, 0, int(k)
        text = ""
        try:
            while i < int(n):
                whole += 7 // divisor + 9 % divisor
                total += 1.0 / (divisor - 1)
                divisor -= 1
                i += 1
        except ZeroDivisionError as error:
            text = str(error)
        return total, whole, i, text

    check(f, (np.int64(3), np.int64(9)), (np.int64(9), np.int64(3)), (np.int64(9), np.int64(0)))
