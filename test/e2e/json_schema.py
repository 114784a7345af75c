"""The published JSON Schemas as the tests use them: reading one, making it strict, holding
documents against it, and walking what it describes."""

import copy
import json
import pathlib
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NAMES = ("result", "check", "compare", "history", "search", "lab")


def require_library():
    """What setUpModule() is where schemas are judged."""
    if jsonschema is None:
        raise unittest.SkipTest("python3-jsonschema is not installed: schemas cannot be judged")


def load_schema(name):
    return json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))


def strict(schema, required=True):
    """The schema in which no field may be there that is not described, and each that is described
    must be there (required), or none must be (False, for abridged examples), or those that the
    schema itself requires (None). What only some documents have (a $comment says so) need not be."""
    if isinstance(schema, list):
        return [strict(one, required) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value, required) for key, value in schema.items()}
    # A field may be called "properties", so that only a map of schemas is one.
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        closed["additionalProperties"] = False
        if required is not None:
            closed["required"] = [name for name, field in schema["properties"].items()
                                  if required and "$comment" not in field]
    return closed


def check_schema(schema):
    """Raises what is wrong with it as a schema."""
    jsonschema.Draft202012Validator.check_schema(schema)


def violations(schema, document):
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{error.json_path}: {error.message[:200]}"
            for error in validator.iter_errors(document)]


def fits(schema, document):
    return jsonschema.Draft202012Validator(schema).is_valid(document)


def resolved(schema, root):
    """The schema itself, or what its $ref names."""
    while "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = target
    return schema


def described_fields(schema, root, place=""):
    """Every field of the schema, by its place, with its own schema. Where a part of the schema is
    for some documents alone (an `if` whose `then` names it), its fields come after the others, and
    may only narrow what those describe already."""
    if "$ref" in schema:
        yield from described_fields(resolved(schema, root), root, place)
    for branch in schema.get("anyOf", []):
        yield from described_fields(branch, root, place)
    for name, field in schema.get("properties", {}).items():
        yield f"{place}.{name}", name, field
        yield from described_fields(field, root, f"{place}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from described_fields(schema["items"], root, place + "[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from described_fields(schema["additionalProperties"], root, place + ".*")
    for branch in schema.get("allOf", []):
        if "$ref" in branch.get("then", {}):
            yield from described_fields(branch["then"], root, place)


def places_of(value, schema_places, place=""):
    """Where a document has something that is not null, by the places of the schema."""
    if isinstance(value, dict):
        for name, inner in value.items():
            below = f"{place}.{name}" if f"{place}.{name}" in schema_places else f"{place}.*"
            if inner is not None:
                yield below
            yield from places_of(inner, schema_places, below)
    elif isinstance(value, list):
        for inner in value:
            yield from places_of(inner, schema_places, place + "[]")


def type_of(field, root):
    field = resolved(field, root)
    return field.get("type") or field.get("enum") or field.get("const") or field.get("anyOf")


def changed(document, place, value):
    """A copy with another value at the place; without the field if it is `...`."""
    copied = copy.deepcopy(document)
    inner = copied
    for step in place[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return copied
