# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def describe(x):
        if tf.reduce_sum(x) > 0:  # <-- here
            y = tf.zeros(3)
        else:
            y = "none"
        return y

    return tf.function(ag.convert(describe), autograph=False)(tf.ones(2))


def repaired():
    def describe(x):
        if tf.reduce_sum(x) > 0:
            y = tf.zeros(3)
        else:
            y = tf.ones(3)
        return y

    return tf.function(ag.convert(describe), autograph=False)(tf.ones(2))


EXPECTED = [0.0, 0.0, 0.0]
