# needs: tensorflow
import tensorflow as tf

import autograph_rs as ag


def wrong():
    def order(n):
        items = []
        for i in tf.range(n):
            items.append(-i)
        items.sort()  # <-- here
        return items[0]

    return tf.function(ag.convert(order), autograph=False)(tf.constant(3))


def repaired():
    def order(n):
        items = []
        for i in tf.range(n):
            items.append(-i)
        return tf.sort(tf.stack(items))[0]

    return tf.function(ag.convert(order), autograph=False)(tf.constant(3))


EXPECTED = -2
