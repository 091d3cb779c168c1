# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def look_up(i):
        table = {0: 1.0, 1: 2.0}
        return table[i]  # <-- here

    return tf.function(ag.convert(look_up), autograph=False)(tf.constant(1))


def repaired():
    def look_up(i):
        table = [1.0, 2.0]
        return table[i]

    return tf.function(ag.convert(look_up), autograph=False)(tf.constant(1))


EXPECTED = 2.0
