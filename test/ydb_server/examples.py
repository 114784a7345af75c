"""The statements of examples/*.yql: requests by name, each with the folder of its tables."""

import pathlib
import re

_FOLDER = pathlib.Path(__file__).resolve().parent / "examples"


def requests(name, prefix):
    """{request: text} of one file."""
    parts = re.split(r"^-- request (\w+)\n", (_FOLDER / f"{name}.yql").read_text(), flags=re.M)
    return {request: f'PRAGMA TablePathPrefix("{prefix}");\n{text}'
            for request, text in zip(parts[1::2], parts[2::2])}
