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
        return next(found)

    return tf.function(ag.convert(first), autograph=False)(tf.constant(3))


def repaired():
    def first(x):
        def items():
            for i in range(4):
                if x > i:
                    yield i

        return next(items(), -1)

    return tf.function(ag.convert(first), autograph=False)(tf.constant(3))


EXPECTED = 0
