"""Functions as users write them, of one or two numbers, for the tests of expressions."""

import math
from collections import namedtuple
from dataclasses import dataclass, replace

BRACKETS = [(-3, 0.1), (0, 0.2), (2, 0.35)]
NAMES = {0: "zero", 1: "one", -1: "minus one"}
Point = namedtuple("Point", "x y")


@dataclass
class Account:
    balance: float
    fees: int = 0

    def withdraw(self, amount):
        if amount > self.balance:
            self.fees += 1
            return False
        self.balance -= amount
        return True


@dataclass(frozen=True)
class Rates:
    low: float
    high: float


def sign(x, y):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


def early(x, y):
    if x > y:
        return "first"
    if x == y:
        return "same"
    return "second"


def nested(x, y):
    result = 0
    if x > 0:
        if y > 0:
            result = x + y
        else:
            result = x - y
            if result > 4:
                return result * 10
    elif y > 2:
        result -= 1
    return result


def brackets(x, y):
    for limit, rate in BRACKETS:
        if x <= limit:
            return rate * y
    return 0.5 * y


def loop_break(x, y):
    total = 0
    for i in range(8):
        if i * i > x:
            break
        if i == y:
            continue
        total += i
    else:
        total = -1
    return total


def nested_loops(x, y):
    for i in range(3):
        for j in [1, 2, 3]:
            if i + j == x:
                return (i, j)
            if j > y:
                break
        if i > y:
            return (i, 0)
    return (x, y)


def newton(x, y):
    guess = abs(x) + 1
    for _ in range(5):
        if abs(guess * guess - abs(x)) < 1e-3:
            break
        guess = (guess + abs(x) / guess) / 2
    return round_to(guess)


def round_to(value):
    return int(value * 1000 + 0.5)


def booleans(x, y):
    return (x > 0 and y > 0) or (x < 0 and not y < 0)


def value_of_and(x, y):
    return x and y


def value_of_or(x, y):
    return x or y or 7


def mixed_and(x, y):
    return x > 0 and y


def flag_arithmetic(x, y):
    positive = x > 0
    return positive + (y > 0) + 1


def truthiness(x, y):
    return "yes" if x else "no"


def truth_flag(x, y):
    if x:
        flag = True
    else:
        flag = False
    return flag


def chained(x, y):
    return -2 < x <= y < 3


def membership(x, y):
    return x in (1, 2, 3), y not in [0, 1], x in {-1, -2}, y in range(0, 4, 2), x in NAMES


def matched(x, y):
    match x:
        case 0:
            return "zero"
        case 1 | 2:
            return "small"
        case n if n > y:
            return n * 2
        case _:
            return "other"


def matched_pair(x, y):
    match (x, y):
        case (0, 0):
            return "origin"
        case (0, b):
            return b
        case (a, 0):
            return -a
        case (a, b) if a == b:
            return "diagonal"
    return "plane"


def matched_dict(x, y):
    match {"kind": x, "size": y}:
        case {"kind": 1, "size": size}:
            return size
        case {"kind": 2}:
            return 2
    return None


def walrus(x, y):
    if (z := x * y) > 4:
        return z
    return z - 1


def keyword_condition(x, y):
    def scale(value, *, factor=2, offset=0):
        return value * factor + offset

    return scale(x, factor=3 if y > 0 else -1, offset=scale(y))


def closure(x, y):
    limit = 2

    def clip(value, lower=-limit):
        if value > limit:
            return limit
        return value if value > lower else lower

    return clip(x) + clip(y, lower=0)


def lambdas(x, y):
    pick = lambda a, b: a if a > b else b  # noqa: E731
    return pick(x, y) - pick(-x, -y)


def comprehension(x, y):
    return [v * 2 if v > 0 else 0 for v in [x, y, 1]]


def aggregates(x, y):
    values = [x, y, 2]
    return any(v > 2 for v in values), all(v > 0 for v in values), sum(values), min(values), max(x, y, 0)


def counted(x, y):
    return sum(v > 0 for v in (x, y)), sum(1 for v in (x, y) if v > 0)


def median(x, y):
    return sorted([x, y, 0])[1], sorted([x, y], reverse=True)


def swap(x, y):
    if x > y:
        x, y = y, x
    return x, y


def augmented(x, y):
    total = 1
    total += x
    if y > 0:
        total *= 2
        total -= y
    else:
        total //= 2
    return total


def different_types(x, y):
    if x > 0:
        result = "positive"
        result = 3
    else:
        result = 2.5
    return result


def unused_types(x, y):
    if x > 0:
        note = "positive"
    else:
        note = [1, 2]
    note = 5
    return note + y


def one_path(x, y):
    if x > 0:
        z = y
    return z


def one_path_guarded(x, y):
    if x > 0:
        z = y
    if x > 0 and y > 0:
        return z + 1
    return 0


def raising(x, y):
    if x < 0:
        raise ValueError(f"{x} is negative")
    assert y >= 0, "y"
    return x + y


def raising_both(x, y):
    if x < 0:
        raise ValueError
    elif y < 0:
        raise KeyError
    else:
        raise TypeError


def tuples(x, y):
    pair = (x, (y, 1))
    if x > y:
        pair = (y, (x, 2))
    (a, (b, c)) = pair
    return a * 100 + b * 10 + c


def dicts(x, y):
    entry = {"low": x, "high": y}
    if x > y:
        entry["low"], entry["high"] = y, x
    if x == y:
        entry = {"low": 0, "high": 0}
    return entry["high"] - entry["low"]


def items(x, y):
    values = [1, 2, 3]
    if x > 0:
        values[1] = y
    values[0] += x
    return values


def attributes(x, y):
    account = Account(10)
    first = account.withdraw(x)
    second = account.withdraw(y * 3)
    return account.balance, account.fees, first and second


def frozen(x, y):
    rates = Rates(x, y)
    if x > y:
        rates = replace(rates, low=y, high=x)
    return rates.low, rates.high


def named(x, y):
    point = Point(x, y)
    if x > 0:
        point = point._replace(y=0)
    return point.x + point.y


def finally_(x, y):
    log = []
    try:
        if x > 0:
            y = y + 1
        log.append(1)
    finally:
        y = y * 2
    return y, len(log)


def indexed(x, y):
    return [10, 20, 30][x]


def looked_up(x, y):
    return NAMES[x]


def looked_up_default(x, y):
    return NAMES.get(x, "many")


def formatted(x, y):
    label = "even" if x % 2 == 0 else "odd"
    return f"{x} is {label}" if y > 0 else str(y)


def none_result(x, y):
    if x > 2:
        return None
    if y > 1:
        return
    return x


def default_none(x, y, limit=None):
    if x > 0:
        limit = y
    if limit is None:
        return -1
    return limit


def recursion(x, y, depth=3):
    if depth == 0:
        return y
    return recursion(x, y + 1, depth - 1) if x > 0 else recursion(x, y - 1, depth - 1)


def nested_helpers(x, y):
    def outer(v):
        def inner(w):
            if w > v:
                return w - v
            return v - w

        return inner(y) if v > 0 else -inner(0)

    return outer(x) + outer(1)


def flags(x, y):
    found = False
    for value in (x, y, x + y):
        if value == 3:
            found = True
    return "three" if found else "none"


def first_index(x, y):
    for i, value in enumerate([x, y, x * y, 4]):
        if value > 2:
            return i
    return -1


def zipped(x, y):
    best, best_weight = None, -100
    for value, weight in zip([x, y, 1], [1, 2, 3]):
        if value * weight > best_weight:
            best, best_weight = value, value * weight
    return best, best_weight


def fizzbuzz(x, y):
    if x % 15 == 0:
        return "FizzBuzz"
    if x % 3 == 0:
        return "Fizz"
    if x % 5 == 0:
        return "Buzz"
    return str(x)


def root(x, y):
    if x < 0:
        return math.nan
    return math.sqrt(x)


def guarded_division(x, y):
    return x / y if y != 0 else 0


def and_guard(x, y):
    return y != 0 and x / y > 1


def continued(x, y):
    total = 0
    for i in range(5):
        if i == x:
            continue
        for j in range(3):
            if j == y:
                continue
            total += i * j
    return total


def with_while(x, y):
    n, steps = 3, 0
    while n > 0:
        if x > n:
            steps += 1
        n -= 1
    return steps


def conditional_call(x, y):
    helper = sign if True else early
    return helper(x, y) * (early(x, y) == "first")


def in_loop_return_tuple(x, y):
    for a, b in [(1, 2), (3, 4)]:
        if x == a or y == b:
            return a, b, x
    return 0, 0, x


def unpacked_star(x, y):
    first, *rest = [x, y, x + y]
    if first > 0:
        rest = [r + 1 for r in rest]
    return rest


def starred_call(x, y):
    def total(*args, **kwargs):
        result = sum(args)
        for value in kwargs.values():
            result = result + value if value > 0 else result
        return result

    return total(*(x, y), a=x, b=y)


def slices(x, y):
    values = [x, y, 1, 2][1:3]
    return values[0] if x > 0 else values[-1]
