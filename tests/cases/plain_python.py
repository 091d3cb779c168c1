"""Everyday Python that knows nothing of tensors: text, dicts, big numbers, order of evaluation."""

from autograph_rs.testing import samples


def traced(value):
    """`value`, and a line that tells when it was evaluated."""
    print("eval", value)
    return value


@samples((1994,), (4,), (0,), staged=())
def roman(n):
    """Plain only: the text has a length of the data's own."""
    text = ""
    for value, letters in [(1000, "M"), (900, "CM"), (90, "XC"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= value:
            text += letters
            n -= value
    return text


@samples(("Hello, World", 3), ("", 1), staged=())
def caesar(text, shift):
    """Plain only: letters are not numbers."""
    out = []
    for letter in text:
        if letter.isalpha():
            base = ord("A") if letter.isupper() else ord("a")
            letter = chr((ord(letter) - base + shift) % 26 + base)
        out.append(letter)
    return "".join(out)


@samples(("aaabcc",), ("",), ("z",))
def run_length(text):
    out = ""
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out += f"{text[i]}{j - i}"
        i = j
    return out


@samples((100,), (1,), staged=())
def big_numbers(n):
    """Plain only: a NumPy integer has no more than 64 bits."""
    product = 1
    for i in range(1, n + 1):
        product *= i
    return product, product % (2**61 - 1), -(2**n)


@samples((2, 0), (2, 3), staged=())
def evaluation_order(a, b):
    """Plain only: the prints of plain values are not in a staged branch, so they belong to the trace."""
    items = [0, 0, 0]
    items[traced(1)] = traced(a)
    result = {traced("k"): traced(b)}
    return items, result


@samples((5,), (-5,), staged=())
def order_of_arguments(x):
    """Plain only: the prints are not in a staged branch, so they belong to the trace."""
    return traced(x) if traced(x > 0) else max(traced(1), traced(x), key=lambda v: traced(v))


@samples((3,), staged=())
def aug_assign_evaluates_once(n):
    """Plain only: the prints are outside any staged statement."""
    items = [1, 2]
    for i in range(n):
        items[traced(i % 2)] += traced(i)
    return items


@samples(([3, 1, 2],), ([],), (["b", "a"],), staged=())
def sorts(items):
    """Plain only: the caller's list changes at each call, not at each trace."""
    copy = sorted(items)
    items.sort(reverse=True)
    return copy, items == copy[::-1]


@samples((["apple", "bob", "cat", "apple"],), ([],))
def word_counts(words):
    counts = {}
    for word in words:
        if word not in counts:
            counts[word] = 0
        counts[word] += 1
    most = None
    for word, count in counts.items():
        if most is None or count > counts[most]:
            most = word
    return most, counts


@samples(("([]{})",), ("([)]",), ("((",), ("",))
def brackets(text):
    stack = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for letter in text:
        if letter in "([{":
            stack.append(letter)
        elif not stack or stack.pop() != pairs[letter]:
            return False
    return not stack


@samples(("12", 3), ("x", 3), ("-1", 0), staged=())
def parse(text, default):
    """Plain only: text to number."""
    try:
        value = int(text)
    except ValueError as error:
        print(error)
        value = default
    else:
        if value < 0:
            raise ValueError(f"negative: {value!r}")
    return value


@samples((3, "a"), (3, None), ("a", "b"), (0, 1), staged=())
def wrong_types(a, b):
    """Plain only: the operands' types are at fault."""
    if a:
        return a + b
    return a


@samples((0.1, 3), (float("nan"), 1), (float("inf"), 2), staged=())
def floats(x, n):
    """Plain only: text of floats."""
    total = 0.0
    for _ in range(n):
        total += x
    return f"{total:.3f}", repr(total), total == x * n, total != total


@samples((7,), (0,), staged=())
def while_and_strings(n):
    """Plain only: text grows."""
    digits = ""
    while True:
        digits = "01"[n % 2] + digits
        n //= 2
        if not n:
            return digits


@samples(([[1, 2], [3]],), ([],), staged=())
def lists_of_lists(rows):
    """Plain only: the caller's lists change at each call, not at each trace."""
    total = 0
    for row in rows:
        row.append(0)
        for x in row:
            total += x
    rows.append(total)
    return rows


@samples((3,), (0,), staged=())
def missing_names(x):
    """Plain only: a name that is nowhere."""
    if x:
        return no_such_name  # noqa: F821
    return x.no_such_attribute


@samples(([1, 2, 3], 1), ([1, 2, 3], 7), staged=())
def index_errors(items, i):
    """Plain only: a list's own error, and a handler that sees it."""
    try:
        value = items[i]
    except IndexError:
        value = items.index(i + 100)
    return value


@samples((5,), (0,), staged=())
def many_targets(n):
    """Plain only: every kind of target at once."""

    class Box:
        pass

    box, items, table = Box(), [0, 0], {}
    for i in range(n):
        box.x, items[i % 2], (table[i], *rest) = i, -i, (i * 2, i, i)
    return getattr(box, "x", None), items, table
