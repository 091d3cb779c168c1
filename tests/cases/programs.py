"""Small whole programs, as a user would write them."""

import numpy as np

from autograph_rs.testing import samples

POINTS = np.array([[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 4.9], [9.0, 0.0]])


@samples((15,), (4,), (0,))
def fizzbuzz(n):
    for i in range(1, n + 1):
        if i % 15 == 0:
            print("FizzBuzz")
        elif i % 3 == 0:
            print("Fizz")
        elif i % 5 == 0:
            print("Buzz")
        else:
            print(i)


@samples(
    (POINTS, 2, 5),
    (POINTS, 3, 1),
    staged=[(POINTS, 2, 5), (np.roll(POINTS, 1, axis=0), 2, 5), (POINTS, 3, np.int64(4))],
)
def k_means(points, k, steps):
    centres = points[:k].copy()
    for _ in range(steps):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
        for j in range(k):
            members = labels == j
            if members.any():
                centres[j] = (points * members[:, None]).sum(axis=0) / members.sum()
    return centres, labels


@samples((np.array([5, 2, 9, 1, 5]),), (np.array([1, 2, 3, 4, 5]),))
def bubble_sort(xs):
    n = len(xs)
    swaps = 0
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
                swaps += 1
    return swaps


@samples((np.array([5, 2, 9, 1, 5]),), (np.array([1, 2, 3, 4, 5]),))
def insertion_sort(xs):
    xs = xs.copy()
    for i in range(1, len(xs)):
        value = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > value:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = value
    return xs


@samples(
    (np.array([1, 3, 5, 7, 9]), 7), (np.array([1, 3, 5, 7, 9]), 4), (np.array([1, 3, 5, 7, 9]), 1)
)
def binary_search(xs, wanted):
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == wanted:
            return middle
        if xs[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@samples((30,), (2,))
def prime_sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return prime.sum(), prime


@samples((20,), (1,))
def count_primes(n):
    count = 0
    for i in range(2, n):
        for j in range(2, i):
            if i % j == 0:
                break
        else:
            count += 1
    return count


@samples((np.array([[1, 1], [1, 0]]), 10), (np.array([[1, 1], [1, 0]]), 0))
def matrix_power(a, n):
    result = np.eye(2, dtype=int)
    while n > 0:
        if n % 2 == 1:
            result = result @ a
        a = a @ a
        n //= 2
    return result


@samples((np.array([1, 1, 2, 3, 3, 3]),), (np.array([7, 7, 7, 7, 7, 7]),))
def run_lengths(xs):
    values, counts = [xs[0]], []
    count = 0
    for x in xs:
        if x == values[-1]:
            count += 1
        else:
            counts.append(count)
            values.append(x)
            count = 1
    counts.append(count)
    return np.array(values), np.array(counts)


@samples((np.array([0.9, 0.8]),), (np.array([0.1, 0.2]),))
def tanh_until_small(xs):
    steps = 0
    while np.sum(xs) > 1:
        xs = np.tanh(xs)
        steps += 1
    return xs, steps


@samples((np.arange(6.0).reshape(3, 2) / 10, np.array([[0.5, -0.5], [0.25, 1.0]])))
def recurrent_network(inputs, weights):
    state = np.zeros(2)
    states = []
    for x in inputs:
        state = np.tanh(x + state @ weights)
        states.append(state)
    return np.stack(states).transpose()


@samples(
    (np.arange(6.0).reshape(3, 2), 2),
    (np.arange(6.0).reshape(3, 2), 3),
    (np.arange(6.0).reshape(3, 2), 0),
)
def network_that_stops(inputs, length):
    state = np.zeros(2)
    for t, x in enumerate(inputs):
        if t < length:
            state = np.tanh(state + x)
        else:
            break
    return state


@samples((-0.5, 0.5), (1.0, 1.0), (0.3, 0.5))
def mandelbrot(a, b):
    x = y = 0.0
    for i in range(50):
        x, y = x * x - y * y + a, 2 * x * y + b
        if x * x + y * y > 4:
            return i
    return 50


@samples((2.0,), (10.0,))
def bisect_root(x):
    low, high = 0.0, x
    while high - low > 1e-6:
        middle = (low + high) / 2
        if middle * middle < x:
            low = middle
        else:
            high = middle
    return low


@samples((np.array([-2, 1, -3, 4, -1, 2, 1]),), (np.array([-5, -1, -3, -4, -2, -6, -7]),))
def largest_sum(xs):
    best = current = xs[0]
    for x in xs[1:]:
        current = max(x, current + x)
        best = max(best, current)
    return best


@samples((np.array([1.0, 2.0, 3.0, 4.0]), 3.0, 0.05), (np.array([1.0, 1.0, 1.0, 1.0]), 0.0, 0.5))
def gradient_descent(xs, slope, rate):
    ys = slope * xs
    w = 0.0
    for step in range(200):
        gradient = np.mean(2 * (w * xs - ys) * xs)
        if abs(gradient) < 1e-6:
            break
        w -= rate * gradient
    return w, step


@samples(
    (np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]]),), (np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]]),)
)
def game_of_life(board):
    padded = np.pad(board, 1)
    following = np.zeros_like(board)
    for i in range(3):
        for j in range(3):
            around = padded[i : i + 3, j : j + 3].sum() - board[i, j]
            if around == 3 or (around == 2 and board[i, j] == 1):
                following[i, j] = 1
    return following


@samples(
    (np.array([3, 2, 2, 1]), np.array([3, 2, 1, 1])),
    (np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])),
)
def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        previous = row.copy()
        row[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            row[j + 1] = min(previous[j] + cost, previous[j + 1] + 1, row[j] + 1)
    return row[-1]


@samples((np.array([1.0, 2.0, 3.0]), 2.0), (np.array([1.0, 2.0, 3.0]), 0.0))
def horner(coefficients, x):
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


@samples((np.array([[2.0, 1.0], [1.0, 3.0]]),), (np.array([[1.0, 0.0], [0.0, 0.5]]),))
def power_iteration(a):
    v = np.array([1.0, 1.0])
    change = 1.0
    while change > 1e-6:
        new = a @ v
        new = new / np.linalg.norm(new)
        change = np.abs(new - v).max()
        v = new
    return v @ a @ v


@samples((42, 5), (7, 0))
def random_numbers(seed, n):
    out = []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2147483648
        out.append(seed % 100)
    return out, seed


@samples((121,), (123,), (0,))
def is_palindrome(n):
    reverse, rest = 0, n
    while rest > 0:
        reverse = reverse * 10 + rest % 10
        rest //= 10
    return reverse == n


@samples(
    (np.array([2, 7, 11, 15]), 9), (np.array([2, 7, 11, 15]), 26), (np.array([2, 7, 11, 15]), 1)
)
def two_sum(xs, target):
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            if xs[i] + xs[j] == target:
                return i, j
    return -1, -1


@samples((np.array([1, 5, 3]), 2), (np.array([1, 5, 3]), 10))
def moving_total(xs, decay):
    history = np.zeros(len(xs))
    level = 0.0
    for i, x in enumerate(xs):
        level = level / decay + x if level > 0 else float(x)
        history[i] = level
    return history


@samples((28,), (12,), (7,))
def kind_of_number(n):
    total = 0
    for i in range(1, n):
        if n % i == 0:
            total += i
    if total == n:
        return "perfect"
    return "abundant" if total > n else "deficient"


@samples((5.0, 3), (5.0, 0))
def bank_balance(balance, years):
    rate = 0.1
    for year in range(years):
        if balance > 6:
            rate = 0.2
        balance *= 1 + rate
        print("year", year)
    return balance


@samples((4,), (6,))
def pascal_row(n):
    row = np.zeros(n + 1, dtype=int)
    row[0] = 1
    for i in range(n):
        for j in range(i + 1, 0, -1):
            row[j] += row[j - 1]
    return row


@samples((3, 2, 4), (1, 9, 4))
def knapsack(a, b, capacity):
    best = 0
    for weight, value in [(a, 10), (b, 7), (2, 3)]:
        if weight <= capacity:
            capacity -= weight
            best += value
    return best, capacity
