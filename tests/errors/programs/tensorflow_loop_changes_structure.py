# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def nest(n):
        pair = (0, 0)
        for i in tf.range(n):  # <-- here
            pair = (pair, i)
        return pair

    return tf.function(ag.convert(nest), autograph=False)(tf.constant(2))


def repaired():
    def nest(n):
        pair = (0, 0)
        for i in tf.range(n):
            pair = (pair[1], i)
        return pair

    return tf.function(ag.convert(nest), autograph=False)(tf.constant(2))


EXPECTED = (0, 1)
