"""Python functions in CasADi: `if`, `return` and `break` become `if_else`, and a solver differentiates them.

python examples/embed_casadi.py

The values are CasADi's own, and so are their operators: `%` has the sign of the dividend, as `math.fmod`.
Where Python would raise, the result is NaN.
"""

from __future__ import annotations

import math
from typing import Any

import casadi as ca

import autograph_rs as ag

TESTS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR)
FUNCTIONS = "sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil fabs fmod hypot".split()


def truncated(x: Any) -> Any:
    return ca.if_else(x < 0, ca.ceil(x), ca.floor(x))


class CasADi(ag.ExpressionOperators):
    """Selections and logic of CasADi. A condition is an expression whose last operation is a comparison."""

    kinds = (ca.SX, ca.MX)
    failure = math.nan
    builtins = {
        **{getattr(math, name): getattr(ca, name) for name in FUNCTIONS},
        int: truncated,
        math.trunc: truncated,
        float: lambda x: x,
    }

    def where(self, test: Any, first: Any, second: Any) -> Any:
        return ca.if_else(test, first, second)

    def and_(self, first: Any, second: Any) -> Any:
        return ca.logic_and(first, second)

    def or_(self, first: Any, second: Any) -> Any:
        return ca.logic_or(first, second)

    def not_(self, test: Any) -> Any:
        return ca.logic_not(test)

    def is_symbolic(self, value: Any) -> bool:
        return not value.is_constant()

    def is_condition(self, value: Any) -> bool:
        return value.is_scalar() and value.op() in TESTS


convert = CasADi().convert


def acceleration(speed, pedal):
    """Return the acceleration of a car in m/s^2. Brakes exceed the engine, and drag has three regimes."""
    force = 4 * pedal if pedal > 0 else 8 * pedal
    if speed < 5:
        return force - 0.02 * speed
    if speed < 15:
        return force - 0.1 - 0.05 * (speed - 5)
    return force - 0.6 - 0.15 * (speed - 15)


def drive(position, speed, pedal, duration, steps=4):
    """Return position in m and speed in m/s after a duration in s, by Heun's method."""
    h = duration / steps
    for _ in range(steps):
        first = acceleration(speed, pedal)
        second = acceleration(speed + h * first, pedal)
        position += h * (speed + h * first / 2)
        speed += h * (first + second) / 2
    return position, speed


def fastest(distance: float, count: int = 30) -> tuple[float, list[float]]:
    """Return the least time in s for a distance in m, from stop to stop, and the pedal over time."""
    step = convert(drive)
    problem = ca.Opti()
    duration, pedal = problem.variable(), problem.variable(count)
    position, speed = problem.variable(count + 1), problem.variable(count + 1)
    for i in range(count):
        reached, velocity = step(position[i], speed[i], pedal[i], duration / count)
        problem.subject_to([position[i + 1] == reached, speed[i + 1] == velocity])
    problem.subject_to([position[0] == 0, speed[0] == 0, position[count] == distance, speed[count] == 0])
    problem.subject_to([problem.bounded(-1, pedal, 1), problem.bounded(0, speed, 20), duration >= 1])
    problem.minimize(duration + 1e-3 * ca.sumsqr(pedal[1:] - pedal[:-1]))
    problem.set_initial(duration, distance / 8)
    problem.set_initial(speed, 8)
    problem.set_initial(position, [distance * i / count for i in range(count + 1)])
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    solution = problem.solve()
    return float(solution.value(duration)), solution.value(pedal).tolist()


def main() -> None:
    distance = 150.0
    duration, pedal = fastest(distance)
    position, speed, top = 0.0, 0.0, 0.0
    for value in pedal:  # the same function, on plain numbers
        position, speed = drive(position, speed, value, duration / len(pedal))
        top = max(top, speed)
    print(f"{distance} m in {duration:.1f} s, at most {top:.1f} m/s")
    print(f"Plain Python arrives at {position:.3f} m, with {abs(speed):.3f} m/s.")


if __name__ == "__main__":
    main()
