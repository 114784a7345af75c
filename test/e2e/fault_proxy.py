"""A proxy between a client and a PostgreSQL server that goes wrong on demand.

In a test:

    with FaultProxy("/run/postgresql/.s.PGSQL.5432") as proxy:    # or ("db.example", 5432)
        connect(f"host=127.0.0.1 port={proxy.port}")
        proxy.cut()

By hand, with a command a line (help lists them):

    python3 fault_proxy.py --listen 127.0.0.1:6000 --to /run/postgresql/.s.PGSQL.5432

It runs on a thread of its own; its methods may be called from any other thread, and return when the
fault is in place. A connection through it is a link. Its directions are "up", from the client to
the server, and "down". `count` is how many links are hit, picked at random; all of them if it is
left out. What the methods return is how many were.
"""

import argparse
import asyncio
import contextlib
import random
import re
import socket
import struct
import sys
import threading

UP = "up"
DOWN = "down"
DIRECTIONS = (UP, DOWN)

# The last message of what is said in one go, whose end is thus the beginning of another message.
_LAST = {UP: lambda data: data[-5:] == b"S\0\0\0\x04",            # Sync
         DOWN: lambda data: data[-6:-1] == b"Z\0\0\0\x05"}        # ReadyForQuery
# No message of any server: a type that there is not, and 4 GB of it.
_NONSENSE = b"\xfe\xff\xff\xff\xff"


def message_ends(data):
    """Where each message ends of data that begin with one; the last one may be incomplete."""
    ends = []
    position = 0
    while position + 5 <= len(data):
        (length,) = struct.unpack_from("!I", data, position + 1)
        position += 1 + max(length, 4)
        ends.append(position)
    return ends


def place_in_a_message(data, choose, keep=None):
    """How much of the data to hand on, so that it ends within a message: after `keep` bytes of it."""
    ends = message_ends(data)
    begins = [0, *ends[:-1]]
    which = choose.randrange(len(ends))
    size = min(ends[which], len(data)) - begins[which]
    return begins[which] + min(keep or choose.randint(1, max(size - 1, 1)), max(size - 1, 1))


class _Link:

    def __init__(self, proxy, client):
        self.proxy = proxy
        self.client = client
        self.server = None
        self.pumps = []
        self.at_boundary = {UP: False, DOWN: False}
        self.mute = {UP: False, DOWN: False}
        self.break_in = {UP: None, DOWN: None}  # a function: bytes to bytes to hand on
        self.cut_on_answer = False
        self.ended = False

    def ends_of(self, direction):
        return (self.client, self.server) if direction == UP else (self.server, self.client)

    async def run(self):
        loop = asyncio.get_running_loop()
        try:
            self.server = await self.proxy.connect_to_target()
        except OSError:
            await self.end(reset=True)
            return
        if self.ended:  # meanwhile
            self.server.close()
            return
        self.pumps = [loop.create_task(self.pump(direction)) for direction in DIRECTIONS]

    async def pump(self, direction):
        loop = asyncio.get_running_loop()
        source, sink = self.ends_of(direction)
        try:
            while data := await loop.sock_recv(source, self.proxy.bytes_at_a_time(direction)):
                await self.proxy.hold(direction)
                if self.mute[direction]:
                    continue
                if self.cut_on_answer and direction == DOWN or self.proxy.cuts_before(self, direction, data):
                    self.end_soon(reset=True)
                    return
                if self.break_in[direction] and self.at_boundary[direction] and len(data) >= 5:
                    await loop.sock_sendall(sink, data[:self.break_in[direction](data)])
                    self.proxy.broken += 1
                    self.end_soon(reset=True)
                    return
                await loop.sock_sendall(sink, data)
                self.at_boundary[direction] = _LAST[direction](data)
            await self.proxy.while_partitioned()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            await self.proxy.while_partitioned()
            self.end_soon(reset=True)
            return
        others = [pump for pump in self.pumps if pump is not asyncio.current_task()]
        if all(pump.done() for pump in others):
            self.end_soon(reset=False)

    def end_soon(self, reset):
        self.proxy.keep(asyncio.get_running_loop().create_task(self.end(reset)))

    async def end(self, reset):
        if self.ended:
            return
        self.ended = True
        self.proxy.links_.discard(self)
        # A socket that somebody waits for is not to be closed.
        for pump in self.pumps:
            pump.cancel()
        await asyncio.gather(*self.pumps, return_exceptions=True)
        for end in (self.client, self.server):
            if end is None:
                continue
            if reset:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()


class FaultProxy:

    def __init__(self, target, listen=("127.0.0.1", 0), seed=1):
        """`target` is the path of a Unix socket or a pair of host and port."""
        self.target = target
        self.address = listen
        self.accepted = 0  # links since the start
        self.broken = 0    # links that were cut within a message
        self.cuts = 0      # links that the last cut_at() has cut
        self.links_ = set()
        self._choose = random.Random(seed)
        self._tasks = set()
        self._listener = None
        self._acceptor = None
        self._delay_s = {UP: 0.0, DOWN: 0.0}
        self._stalled_until = {UP: 0.0, DOWN: 0.0}
        self._black_hole_until = 0.0
        self._joined = None  # an event of the loop: there is no partition
        self._cut_at = None  # (pattern, answered, requests to cut)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()
        self._call(self._listen())
        return self

    def stop(self):
        if not self._thread.is_alive():
            return
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def port(self):
        return self.address[1]

    @property
    def links(self):
        """How many links there are."""
        return len(self.links_)

    # The faults.

    def cut(self, count=None):
        """Resets both sides (RST), in the middle of whatever they say."""
        async def fault(links):
            await asyncio.gather(*(link.end(reset=True) for link in links))
        return self._hit(fault, count)

    def cut_at(self, pattern, answered, count):
        """Cuts the links of the next `count` requests that match the pattern (bytes): before the server has the
        request, or when it has answered, and without its answer."""
        async def fault():
            self.cuts = 0
            self._cut_at = (re.compile(pattern, re.DOTALL), answered, count)
        self._call(fault())

    def half_close(self, direction, count=None):
        """The receiver of this direction sees its end; the sender is not told."""
        async def fault(links):
            for link in links:
                link.mute[direction] = True
                with contextlib.suppress(OSError):
                    link.ends_of(direction)[1].shutdown(socket.SHUT_WR)
        return self._hit(fault, count)

    def break_message(self, direction, count=None, keep=None):
        """Of a message that comes next, hands on a part only (`keep` bytes), and then cuts."""
        async def fault(links):
            for link in links:
                link.break_in[direction] = (
                    lambda data: place_in_a_message(data, self._choose, keep))
        return self._hit(fault, count)

    def garbage(self, data=None, count=None):
        """Says something to the client that no server says."""
        async def fault(links):
            loop = asyncio.get_running_loop()
            for link in links:
                with contextlib.suppress(OSError):
                    await loop.sock_sendall(link.client,
                                            data or _NONSENSE + self._choose.randbytes(100))
        return self._hit(fault, count)

    def delay(self, seconds, direction=None):
        """Hands everything on that much later, until told otherwise."""
        async def fault():
            for one in [direction] if direction else DIRECTIONS:
                self._delay_s[one] = seconds
        self._call(fault())

    def stall(self, seconds, direction=None):
        """Hands nothing on for some time, of links to come neither; closes nothing."""
        async def fault():
            until = self._loop.time() + seconds
            for one in [direction] if direction else DIRECTIONS:
                self._stalled_until[one] = until
        self._call(fault())

    def refuse(self, seconds):
        """Refuses new connections for some time; the links that there are live on."""
        async def fault():
            await self._stop_listening()
            self._loop.call_later(
                seconds, lambda: self.keep(self._loop.create_task(self._listen())))
        self._call(fault())

    def black_hole(self, seconds):
        """Takes new connections for some time, and never answers them."""
        async def fault():
            self._black_hole_until = self._loop.time() + seconds
        self._call(fault())

    def partition(self):
        """Hands nothing on, not even that a side has ended, and never answers a new connection; until heal()."""
        async def fault():
            self._joined.clear()
        self._call(fault())

    def heal(self):
        """Ends a partition. Its links are reset, as by a host that has given them up meanwhile."""
        async def fault():
            if self._joined.is_set():
                return
            await asyncio.gather(*(link.end(reset=True) for link in list(self.links_)))
            self._joined.set()
        self._call(fault())

    # Inside of the loop.

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._joined = asyncio.Event()
        self._joined.set()
        self._loop.run_forever()
        self._loop.close()

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def _hit(self, fault, count):
        async def hit():
            # Those that have a server: the others have said nothing yet.
            links = [link for link in self.links_ if link.server is not None]
            if count is not None:
                links = self._choose.sample(links, min(count, len(links)))
            await fault(links)
            return len(links)
        return self._call(hit())

    def cuts_before(self, link, direction, data):
        """Whether cut_at() cuts the link here. A link that it cuts later is marked."""
        if self._cut_at is None or direction != UP:
            return False
        pattern, answered, count = self._cut_at
        if self.cuts >= count or not pattern.search(data):
            return False
        self.cuts += 1
        link.cut_on_answer = answered
        return not answered

    def keep(self, task):
        """The loop itself forgets tasks that nobody holds."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def bytes_at_a_time(self, direction):
        """A delay is not to be a limit of what gets through: then as much as there is."""
        return 1 << 22 if self._delay_s[direction] else 1 << 16

    async def while_partitioned(self):
        await self._joined.wait()

    async def hold(self, direction):
        await self.while_partitioned()
        if self._delay_s[direction]:
            await asyncio.sleep(self._delay_s[direction])
        while (left := self._stalled_until[direction] - self._loop.time()) > 0:
            await asyncio.sleep(left)

    async def connect_to_target(self):
        is_path = isinstance(self.target, str)
        server = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET, socket.SOCK_STREAM)
        server.setblocking(False)
        try:
            await self._loop.sock_connect(server, self.target)
        except BaseException:
            server.close()
            raise
        return server

    async def _listen(self):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind(self.address)
        listener.listen(1000)
        self.address = listener.getsockname()
        self._listener = listener
        self._acceptor = self._loop.create_task(self._accept(listener))

    async def _accept(self, listener):
        while True:
            client, _ = await self._loop.sock_accept(listener)
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.accepted += 1
            link = _Link(self, client)
            self.links_.add(link)
            if self._joined.is_set() and self._loop.time() >= self._black_hole_until:
                self.keep(self._loop.create_task(link.run()))

    async def _stop_listening(self):
        if self._acceptor is None:
            return
        self._acceptor.cancel()
        await asyncio.gather(self._acceptor, return_exceptions=True)
        self._acceptor = None
        self._listener.close()

    async def _end(self):
        await self._stop_listening()
        await asyncio.gather(*(link.end(reset=True) for link in list(self.links_)))


# By hand.

COMMANDS = {
    "cut": ("[COUNT]", lambda proxy, *count: proxy.cut(*map(int, count))),
    "half-close": ("up|down [COUNT]", lambda proxy, direction, *count:
                   proxy.half_close(direction, *map(int, count))),
    "break": ("up|down [COUNT]", lambda proxy, direction, *count:
              proxy.break_message(direction, *map(int, count))),
    "garbage": ("[COUNT]", lambda proxy, *count: proxy.garbage(None, *map(int, count))),
    "delay": ("SECONDS", lambda proxy, seconds: proxy.delay(float(seconds))),
    "stall": ("SECONDS [up|down]", lambda proxy, seconds, *direction:
              proxy.stall(float(seconds), *direction)),
    "refuse": ("SECONDS", lambda proxy, seconds: proxy.refuse(float(seconds))),
    "black-hole": ("SECONDS", lambda proxy, seconds: proxy.black_hole(float(seconds))),
    "partition": ("", lambda proxy: proxy.partition()),
    "heal": ("", lambda proxy: proxy.heal()),
    "links": ("", lambda proxy: proxy.links),
}


def obey(proxy, line):
    """Carries out a line; returns what to print."""
    name, *arguments = line.split()
    if name not in COMMANDS:
        return "\n".join(f"{name} {usage}".rstrip() for name, (usage, _) in COMMANDS.items())
    usage, command = COMMANDS[name]
    if any(word not in DIRECTIONS and not word.replace(".", "", 1).isdigit()
           for word in arguments):
        return f"expected: {name} {usage}"
    try:
        result = command(proxy, *arguments)
    except (TypeError, ValueError, KeyError):
        return f"expected: {name} {usage}"
    return f"{name}: done" if result is None else f"{name}: {result} links"


def address(text):
    if text.startswith("/"):
        return text
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise argparse.ArgumentTypeError(f"{text}: expected HOST:PORT or the path of a socket")
    return host, int(port)


def main():
    parser = argparse.ArgumentParser(description="A proxy that goes wrong on demand.")
    parser.add_argument("--listen", type=address, default=("127.0.0.1", 0), metavar="HOST:PORT")
    parser.add_argument("--to", type=address, required=True, metavar="HOST:PORT|PATH")
    options = parser.parse_args()
    if isinstance(options.listen, str):
        parser.error("--listen: expected HOST:PORT")
    with FaultProxy(options.to, options.listen) as proxy:
        print(f"port {proxy.port}", flush=True)
        for line in sys.stdin:
            if line.strip() == "quit":
                break
            if line.strip():
                print(obey(proxy, line), flush=True)


if __name__ == "__main__":
    main()
