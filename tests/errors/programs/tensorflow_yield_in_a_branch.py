# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def evens(x):
        def items():
            for i in range(4):
                if x > i:  # <-- here
                    yield i

        return sum(items())

    return tf.function(ag.convert(evens), autograph=False)(tf.constant(3))


def repaired():
    def evens(x):
        def value(i):
            return i if x > i else 0

        def items():
            for i in range(4):
                yield value(i)

        return sum(items())

    return tf.function(ag.convert(evens), autograph=False)(tf.constant(3))


EXPECTED = 3
