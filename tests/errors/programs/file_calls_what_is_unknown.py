import hashlib
import json

import numpy as np

import autograph_rs as ag

TEXT = ag.function(lambda x: x * 2).get_concrete_function(np.ones(2)).graph.to_json()


def edited(op):
    data = json.loads(TEXT)
    data["content"]["graph"]["nodes"][-1]["op"] = op
    text = json.dumps(data["content"], sort_keys=True, separators=(",", ":"))
    data["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(data)


def wrong():
    return len(ag.Graph.from_json(edited("os.system")).nodes) > 0  # <-- here


def repaired():
    return len(ag.Graph.from_json(edited("add")).nodes) > 0


EXPECTED = True
