import asyncio

import numpy as np

import autograph_rs as ag


def wrong():
    @ag.function
    def wait(x):
        async def run():
            y = 1
            if x > 0:  # <-- here
                await asyncio.sleep(0)
                y = 2
            return y

        return asyncio.run(run())

    return wait(np.float64(1.0))


def repaired():
    @ag.function
    def wait(x):
        def value():
            return 2 if x > 0 else 1

        async def run():
            await asyncio.sleep(0)
            return value()

        return asyncio.run(run())

    return wait(np.float64(1.0))


EXPECTED = 2
