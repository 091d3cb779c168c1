"""Scalar functions as users of data frames write them. Each parameter is the name of a column.

Columns whose names begin with `maybe_` hold None in some rows, and are for functions that handle None.
"""

import math

BRACKETS = [(11_000, 0.0), (30_000, 0.2), (60_000, 0.35)]
RATES = {"DE": 0.19, "FR": 0.2, "IT": 0.22}
HOLIDAYS = {(1, 1), (12, 25), (12, 26)}


def tax(income) -> float:
    total, lower = 0.0, 0
    for upper, rate in BRACKETS:
        if income <= upper:
            return total + (income - lower) * rate
        total += (upper - lower) * rate
        lower = upper
    return total + (income - lower) * 0.45


def marginal_rate(income) -> float:
    for upper, rate in BRACKETS:
        if income <= upper:
            return rate
    return 0.45


def grade(score) -> str:
    if score >= 90:
        return "A"
    elif score >= 80:
        return "B"
    elif score >= 70:
        return "C"
    elif score >= 60:
        return "D"
    else:
        return "F"


def grade_points(score) -> int:
    match score // 10:
        case 10 | 9:
            return 4
        case 8:
            return 3
        case 7:
            return 2
        case s if s >= 5:
            return 1
    return 0


def fizzbuzz(n) -> str:
    if n % 15 == 0:
        return "FizzBuzz"
    if n % 3 == 0:
        return "Fizz"
    if n % 5 == 0:
        return "Buzz"
    return str(n)


def bmi_class(weight, height) -> str:
    bmi = weight / height**2
    if bmi < 18.5:
        return "underweight"
    if 18.5 <= bmi < 25:
        return "normal"
    return "overweight" if bmi < 30 else "obese"


def is_leap(n) -> bool:
    return n % 4 == 0 and (n % 100 != 0 or n % 400 == 0)


def days_in_month(month, n) -> int:
    if month == 2:
        return 29 if is_leap(n) else 28
    if month in (4, 6, 9, 11):
        return 30
    return 31


def has_prefix(code) -> bool:
    return code.startswith(("DE", "AT")) or code.startswith("FR-")


def code_kind(code) -> str:
    if code.startswith("X"):
        return "experimental"
    if "-" in code:
        return "regional"
    if len(code) == 2:
        return "country"
    return "other"


def country_rate(code) -> float:
    country = code[:2].upper()
    if country in RATES:
        return RATES[country]
    return 0.25


def country_rate_default(code) -> float:
    return RATES.get(code, 0.25)


def initial(name) -> str:
    if len(name) == 0:
        return "?"
    return name[0].upper() + "."


def last_letter(name) -> str:
    return name[-1] if len(name) > 1 else "short"


def greeting(name, n) -> str:
    return f"Hello {name}, no. {n}" if name != "" else "Hello"


def season(day) -> str:
    if day.month in (12, 1, 2):
        return "winter"
    if 3 <= day.month <= 5:
        return "spring"
    if day.month <= 8:
        return "summer"
    return "autumn"


def is_weekend(day) -> bool:
    return day.weekday() >= 5


def quarter(day) -> str:
    return f"{day.year}Q{(day.month - 1) // 3 + 1}"


def fiscal_year(day) -> int:
    return day.year + 1 if day.month >= 10 else day.year


def is_new_year(day) -> bool:
    return day.month == 1 and day.day == 1


def clip(x, lower=-10, upper=10) -> float:
    if x < lower:
        return lower
    if x > upper:
        return upper
    return x


def clip_by_min(x) -> float:
    return max(-10, min(x, 10))


def relu(x) -> float:
    return x if x > 0 else 0.0


def huber(x) -> float:
    size = abs(x)
    if size <= 1:
        return 0.5 * x * x
    return size - 0.5


def geometric_mean(x, y) -> float:
    return math.sqrt(x * y) if x > 0 and y > 0 else 0.0


def root_or_raise(x) -> float:
    return math.sqrt(x)


def is_missing(maybe_weight) -> str:
    return "nan" if maybe_weight != maybe_weight else "number"


def sign(x) -> int:
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


def smoothstep(x) -> float:
    if x <= 0:
        return 0
    elif x >= 1:
        return 1
    return x * x * (3 - 2 * x)


def triangle_wave(x) -> float:
    phase = x - math.floor(x)
    return 4 * phase - 1 if phase < 0.5 else 3 - 4 * phase


def quadrant(x, y) -> int:
    if x > 0 and y > 0:
        return 1
    if x < 0 < y:
        return 2
    if x < 0 and y < 0:
        return 3
    if x > 0 > y:
        return 4
    return 0


def larger(x, y) -> float:
    return x if x >= y else y


def median(x, y, z) -> float:
    if x > y:
        x, y = y, x
    if y > z:
        y = z
    return x if x > y else y


def median_sorted(x, y, z) -> float:
    return sorted([x, y, z])[1]


def spread(x, y, z) -> float:
    return max(x, y, z) - min(x, y, z)


def count_positive(x, y, z) -> int:
    return sum(value > 0 for value in (x, y, z))


def any_large(x, y, z) -> bool:
    return any(value > 20 for value in [x, y, z])


def all_small(x, y, z) -> bool:
    return all(-30 < value < 30 for value in [x, y, z])


def is_triangle(x, y, z) -> bool:
    return x > 0 and y > 0 and z > 0 and x + y > z and y + z > x and x + z > y


def safe_ratio(x, y) -> float:
    return x / y if y != 0 else 0.0


def percent_change(x, y) -> float:
    if x == 0:
        return 0.0
    change = (y - x) / abs(x) * 100
    if change > 200:
        change = 200.0
    return change


def floor_parts(n, m) -> int:
    if m == 0:
        return -1
    return (n // m) * 1000 + n % m


def negative_modulo(n) -> int:
    return n % -7 + (-n) // 4


def parity(n) -> str:
    return "even" if n % 2 == 0 else "odd"


def digits(n) -> int:
    size = abs(n)
    for count in range(1, 7):
        if size < 10**count:
            return count
    return 7


def divisors(n) -> int:
    found = 0
    for d in range(1, 9):
        if n % d != 0:
            continue
        found += 1
    return found


def first_divisor(n) -> int:
    for d in (2, 3, 5, 7):
        if n % d == 0:
            return d
    return 0


def hour_label(hour) -> str:
    match hour:
        case 0:
            return "midnight"
        case 12:
            return "noon"
        case h if h < 12:
            return f"{h} am"
        case h:
            return f"{h - 12} pm"


def shipping(maybe_weight, code) -> float:
    if maybe_weight is None:
        return None
    base = 5.0 if code in ("DE", "AT", "CH") else 9.0
    if maybe_weight <= 1:
        return base
    if maybe_weight > 30:
        return None
    return base + 0.5 * (maybe_weight - 1)


def coalesce(maybe_weight, maybe_n) -> float:
    if maybe_weight is not None:
        return maybe_weight
    return maybe_n if maybe_n is not None else 0


def null_safe_sum(maybe_weight, maybe_n) -> float:
    total = 0
    for value in (maybe_weight, maybe_n):
        if value is not None:
            total += value
    return total


def or_default(maybe_n) -> int:
    return maybe_n or 7


def guarded(maybe_weight) -> bool:
    return maybe_weight is not None and maybe_weight > 10


def is_truthy(maybe_name) -> str:
    if maybe_name:
        return "named"
    return "anonymous"


def display_name(maybe_name, n) -> str:
    name = maybe_name if maybe_name is not None else "guest"
    return name.lower() if n > 0 else name.strip()


def null_if_negative(x) -> float:
    return None if x < 0 else x


def discount(income, n, flag) -> float:
    rate = 0.0
    if flag:
        rate += 0.05
        if n > 10:
            rate += 0.05
    if income > 50_000 and not flag:
        rate = max(rate, 0.02)
    return rate


def loyalty(n, flag) -> str:
    if flag and n > 20:
        level = "gold"
    elif flag or n > 20:
        level = "silver"
    else:
        level = "none"
    return level


def wind_chill(temperature, x) -> float:
    if temperature > 10 or x < 5:
        return temperature
    return 13.12 + 0.62 * temperature + (0.4 * temperature - 11.4) * x


def water_state(temperature) -> str:
    return "ice" if temperature < 0 else "steam" if temperature >= 100 else "water"


def to_celsius(temperature, flag) -> float:
    def convert(value, offset=32):
        return (value - offset) * 5 / 9

    return convert(temperature) if flag else convert(temperature, offset=0)


def rounded(x) -> int:
    return round(x) if abs(x) < 20 else int(x)


def overflow(n) -> int:
    product = n * 3
    if product > 100:
        product = 100
    return product - 5


def late_fee(day, x) -> float:
    if (day.month, day.day) in HOLIDAYS:
        return 0.0
    fee = 2.5 * x if day.weekday() < 5 else 0.0
    return fee if fee > 0 else 0.0


def attempt(x) -> float:
    log = 0
    try:
        if x > 5:
            log = 1
        result = x * 2
    finally:
        log += 1
    return result + log


def checked(n) -> float:
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n**0.5
