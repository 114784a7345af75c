#!/usr/bin/env python3
"""Compares the protocol that Drover speaks with the one of YDB's own Python package.

Reads the descriptors of our .proto files (made by protoc) and those inside the package. Every
message, field, enum value, service and RPC of ours has to be there with the same name, number and
type; the package may have more. Prints each difference, and exits with 1 if there is one.

    ydb_protos.py PROTOC FOLDER_OF_PROTOS
"""
import importlib
import pathlib
import subprocess
import sys
import tempfile

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool

import ydb

SERVICES = ["discovery", "auth", "query", "table", "operation", "scheme"]

differences = []
compared = {"messages": 0, "fields": 0, "enum values": 0, "RPCs": 0}


def require(same, what):
    if not same:
        differences.append(what)


def load_theirs():
    """The package has a folder for each major version of protobuf, and registers a file in the
    default pool when it is imported."""
    folder = "v" + google.protobuf.__version__.split(".")[0]
    for service in SERVICES:
        importlib.import_module(f"ydb._grpc.{folder}.ydb_{service}_v1_pb2")
    return descriptor_pool.Default()


def load_ours(protoc, folder):
    files = sorted(str(path) for path in folder.glob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "ours.pb"
        subprocess.run(
            [protoc, "--include_imports", f"--descriptor_set_out={out}", f"-I{folder}", *files],
            check=True)
        descriptors = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        pool.Add(file)
    names = [file.name for file in descriptors.file if not file.name.startswith("google/")]
    return [pool.FindFileByName(name) for name in names]


def type_name(field):
    if field.message_type is not None:
        return field.message_type.full_name
    if field.enum_type is not None:
        return field.enum_type.full_name
    return ""


def is_repeated(field):
    if hasattr(field, "is_repeated"):  # from protobuf 6 on
        return field.is_repeated
    return field.label == field.LABEL_REPEATED


def oneof_name(field):
    return field.containing_oneof.name if field.containing_oneof is not None else ""


def compare_enum(ours, pool):
    try:
        theirs = pool.FindEnumTypeByName(ours.full_name)
    except KeyError:
        require(False, f"{ours.full_name}: they have no such enum")
        return
    for value in ours.values:
        compared["enum values"] += 1
        other = theirs.values_by_name.get(value.name)
        require(other is not None and other.number == value.number,
                f"{ours.full_name}.{value.name} = {value.number}: theirs is "
                f"{other.number if other is not None else 'missing'}")


def compare_field(ours, theirs, message):
    compared["fields"] += 1
    name = f"{message}.{ours.name}"
    if theirs is None:
        require(False, f"{name}: they have no such field")
        return
    for what in ["number", "type"]:
        require(getattr(ours, what) == getattr(theirs, what),
                f"{name}: {what} {getattr(ours, what)}, theirs {getattr(theirs, what)}")
    require(is_repeated(ours) == is_repeated(theirs), f"{name}: one of the two is repeated")
    require(type_name(ours) == type_name(theirs),
            f"{name}: {type_name(ours)}, theirs {type_name(theirs)}")
    require(oneof_name(ours) == oneof_name(theirs),
            f"{name}: in oneof {oneof_name(ours)!r}, theirs {oneof_name(theirs)!r}")


def compare_message(ours, pool):
    compared["messages"] += 1
    try:
        theirs = pool.FindMessageTypeByName(ours.full_name)
    except KeyError:
        require(False, f"{ours.full_name}: they have no such message")
        return
    for field in ours.fields:
        compare_field(field, theirs.fields_by_name.get(field.name), ours.full_name)
    for nested in ours.nested_types:
        compare_message(nested, pool)
    for enum in ours.enum_types:
        compare_enum(enum, pool)


def compare_service(ours, pool):
    try:
        theirs = pool.FindServiceByName(ours.full_name)
    except KeyError:
        require(False, f"{ours.full_name}: they have no such service")
        return
    for method in ours.methods:
        compared["RPCs"] += 1
        name = f"{ours.full_name}.{method.name}"
        other = theirs.methods_by_name.get(method.name)
        if other is None:
            require(False, f"{name}: they have no such RPC")
            continue
        require(method.input_type.full_name == other.input_type.full_name,
                f"{name}: takes {method.input_type.full_name}, theirs "
                f"{other.input_type.full_name}")
        require(method.output_type.full_name == other.output_type.full_name,
                f"{name}: returns {method.output_type.full_name}, theirs "
                f"{other.output_type.full_name}")
        for what in ["client_streaming", "server_streaming"]:
            require(getattr(method, what) == getattr(other, what), f"{name}: {what} differs")


def main():
    protoc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    theirs = load_theirs()
    for file in load_ours(protoc, folder):
        for message in file.message_types_by_name.values():
            compare_message(message, theirs)
        for enum in file.enum_types_by_name.values():
            compare_enum(enum, theirs)
        for service in file.services_by_name.values():
            compare_service(service, theirs)
    print("ydb", ydb.__version__ + ":", ", ".join(f"{n} {what}" for what, n in compared.items()))
    # A comparison that finds nothing to compare would not fail.
    for what, least in {"messages": 60, "fields": 150, "enum values": 60, "RPCs": 15}.items():
        require(compared[what] >= least, f"only {compared[what]} {what} were compared")
    for difference in differences:
        print("differs:", difference)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
