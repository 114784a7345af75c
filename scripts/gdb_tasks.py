"""Command of gdb that shows what each waiting coroutine waits for.

In gdb, enter `source scripts/gdb_tasks.py` once, and then:

    tasks              show the tasks of each block_on() on the stack of a thread; needs debug information (preset dev)
    tasks EXPRESSION   show the tasks of the CancelSource or Scope at this address, such as: tasks &scope

Each line shows an operation that has not finished, followed by the coroutines that wait for it, the innermost first.
Tasks with equal lines are shown once, with their number. docs/debugging.md has an example.

Memory layout (runtime/coro): a CancelNode consists of its vtable, previous_ and next_, followed by the handle_ of an
Awaiter or the source of a Link. A CancelSource consists of worker_, link_, ring_ and cancelled_. A coroutine's frame
begins with its resume and destroy functions, followed by its promise with continuation and source.
"""

import collections

import gdb

POINTER = 8
NEXT, HANDLE, LINKED_SOURCE = 2 * POINTER, 3 * POINTER, 3 * POINTER
RING, CANCELLED = 5 * POINTER, 8 * POINTER
CONTINUATION = 2 * POINTER


def pointer_at(address):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, POINTER), "little")


def symbol(address):
    return gdb.execute(f"info symbol {address:#x}", to_string=True).split(" in section ")[0]


def short(name):
    for part in ("drover::", "coro::detail::", "coro::", "vtable for ", "(anonymous namespace)::"):
        name = name.replace(part, "")
    return name.split(" + ")[0].split(" [clone")[0].split("(")[0].removesuffix(".resume").strip()


def waiting(frame):
    names = []
    while frame:
        names.append(short(symbol(pointer_at(frame))))
        frame = pointer_at(frame + CONTINUATION)
    return names


def show(source, depth=0):
    alike = collections.Counter()
    below = []
    node = pointer_at(source + RING + NEXT)
    while node != source + RING:
        kind = short(symbol(pointer_at(node)))
        if kind.endswith("CancelSource::Link"):
            below.append(pointer_at(node + LINKED_SOURCE))
        else:
            alike[" < ".join([kind, *waiting(pointer_at(node + HANDLE))])] += 1
        node = pointer_at(node + NEXT)
    flag = gdb.selected_inferior().read_memory(source + CANCELLED, 1)[0]
    cancelled = "" if flag == b"\0" else ", cancelled"
    print(f"{'  ' * depth}source {source:#x}{cancelled}: {sum(alike.values())} wait, "
          f"{len(below)} sources below")
    for line, count in alike.most_common():
        print(f"{'  ' * (depth + 1)}{count} x {line}")
    for one in below:
        show(one, depth + 1)


def roots():
    """The scopes of block_on(), each with its thread."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            if (frame.name() or "").startswith("drover::coro::block_on"):
                yield thread, int(frame.read_var("root").address)
            frame = frame.older()


class Tasks(gdb.Command):

    def __init__(self):
        super().__init__("tasks", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument:
            show(int(gdb.parse_and_eval(argument)))
            return
        selected = gdb.selected_thread()
        found = list(roots())
        for thread, root in found:
            print(f"thread {thread.num}")
            show(root)
        if not found:
            print("No stack has a block_on(). Give the address of a CancelSource or Scope, such as: tasks &scope")
        selected.switch()


Tasks()
