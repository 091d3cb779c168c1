# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def first(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        found = items()
        return next(found) + next(found)

    return tf.function(ag.convert(first), autograph=False)(tf.constant(3))


def repaired():
    def first(x):
        def items():
            for i in range(4):
                if x > i:
                    yield i

        total = 0
        for count, i in enumerate(items()):
            if count < 2:
                total += i
        return total

    return tf.function(ag.convert(first), autograph=False)(tf.constant(3))


EXPECTED = 1
