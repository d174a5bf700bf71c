"""What schemathesis cannot know: the models of the sandbox, and the ids of what was made before it began."""

import json
import os

import schemathesis

KNOWN = json.loads(os.environ["SWITCHYARD_FUZZ"])


def pick(values, seed):
    return values[len(repr(seed)) % len(values)]


@schemathesis.hook
def map_body(context, body):
    """Three bodies of four that name a model name one that exists."""
    if isinstance(body, dict) and isinstance(body.get("model"), str) and len(repr(body)) % 4:
        return {**body, "model": pick(KNOWN["models"], body)}
    return body


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Three addresses of four name what exists."""
    if not path_parameters:
        return path_parameters
    if len(repr(path_parameters)) % 4 == 0:
        return path_parameters
    return {name: KNOWN["ids"].get(name, value) for name, value in path_parameters.items()}
