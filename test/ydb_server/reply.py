"""Answers in YDB's two manners: the status at the top, or inside of an Operation."""

from ydb_server import protocol

_ERROR = 1   # the severity of an issue


def issues_of(error):
    """The issues of a YdbError: under the name of the stage, where there is one."""
    inner = protocol.issue.IssueMessage(message=error.message, severity=_ERROR,
                                        issue_code=error.code)
    if error.place:
        inner.position.row, inner.position.column = error.place
        inner.end_position.CopyFrom(inner.position)
    if not error.stage:
        return [inner]
    outer = protocol.issue.IssueMessage(message=error.stage, severity=_ERROR,
                                        issue_code=error.code)
    if error.place:
        outer.position.CopyFrom(inner.position)
    outer.issues.append(inner)
    return [outer]


def status_number(error):
    return protocol.status.StatusCode.Value(error.status)


def top(kind, error):
    """A response with status and issues of its own."""
    return kind(status=status_number(error), issues=issues_of(error))


def done(result=None, metadata=None):
    """An Operation that is ready and went well."""
    operation = protocol.operation.Operation(ready=True, status=protocol.status.SUCCESS)
    if result is not None:
        operation.result.Pack(result)
    if metadata is not None:
        operation.metadata.Pack(metadata)
    return operation


def failed(error):
    return protocol.operation.Operation(ready=True, status=status_number(error),
                                        issues=issues_of(error))
