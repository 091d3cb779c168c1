# needs: tensorflow
import statistics

import tensorflow as tf

import autograph_rs as ag


def wrong():
    def middle(x):
        return statistics.median([x, x + 1.0, x - 1.0])  # <-- here

    return tf.function(ag.convert(middle), autograph=False)(tf.constant(2.0))


def repaired():
    def middle(x):
        return tf.sort(tf.stack([x, x + 1.0, x - 1.0]))[1]

    return tf.function(ag.convert(middle), autograph=False)(tf.constant(2.0))


EXPECTED = 2.0
