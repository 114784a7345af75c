"""The example programs, as a person would use them. EXAMPLES is the folder that they are in."""

import contextlib
import http.server
import os
import pathlib
import re
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])


def run(name, *arguments):
    return subprocess.run([EXAMPLES / name, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


class Client:
    """A connection to the timer server, line by line."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.lines = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text.encode())

    def line(self):
        return self.lines.readline().decode().rstrip("\n")

    def close(self):
        self.lines.close()
        self.socket.close()

    def reset(self):
        """Closes it the hard way: the server sees an error, not the end of a stream."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()


class TimerServer(unittest.TestCase):

    @contextlib.contextmanager
    def server(self, *arguments):
        process = subprocess.Popen([EXAMPLES / "timer_server", "0", *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            first_line = process.stdout.readline()
            self.assertRegex(first_line, r"^listening on 127\.0\.0\.1:\d+$")
            yield process, int(first_line.rsplit(":", 1)[1])
        finally:
            process.kill()
            process.communicate()

    def stopped(self, process, number=signal.SIGINT):
        """Asks the server to stop; hands back what it prints then."""
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        return out

    def test_answers_later_and_never_early(self):
        with self.server() as (process, port):
            client = Client(port)
            before = time.monotonic()
            client.send("after 200 tea is ready\nafter 0\n")
            self.assertEqual(client.line(), "tea is ready")
            self.assertGreaterEqual(time.monotonic() - before, 0.2)
            self.assertEqual(client.line(), "")
            client.close()
            self.assertEqual(self.stopped(process), "stopped: 2 answers to 1 connections\n")

    def test_connections_do_not_wait_for_each_other(self):
        with self.server() as (_, port):
            slow, quick = Client(port), Client(port)
            slow.send("after 3600000 never\n")
            quick.send("after 1 at once\n")
            self.assertEqual(quick.line(), "at once")
            quick.close()
            slow.close()

    def test_two_thousand_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 4096:
            self.skipTest("too few descriptors are allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
        with self.server() as (process, port):
            clients = [Client(port) for _ in range(2000)]
            for number, client in enumerate(clients):
                client.send(f"after 100 {number}\n")
            for number, client in enumerate(clients):
                self.assertEqual(client.line(), str(number))
            self.assertEqual(self.stopped(process), "stopped: 2000 answers to 2000 connections\n")
            for client in clients:
                self.assertEqual(client.line(), "")  # the end of the stream
                client.close()

    def test_stops_while_many_wait(self):
        with self.server() as (process, port):
            clients = [Client(port) for _ in range(100)]
            for client in clients:
                client.send("after 10 ready\nafter 3600000 never\n")
            for client in clients:
                self.assertEqual(client.line(), "ready")
            self.assertEqual(self.stopped(process, signal.SIGTERM),
                             "stopped: 100 answers to 100 connections\n")
            for client in clients:
                client.close()

    def test_wrong_requests_are_answered_with_an_error(self):
        with self.server() as (_, port):
            client = Client(port)
            for request in ("", "before 5 x", "after", "after x y", "after -1 y", "after 3600001 y",
                            "after 99999999999999999999 y", "after 5x y"):
                client.send(request + "\n")
                self.assertRegex(client.line(), "^error: expected", request)
            client.send("after 1 still there\n")
            self.assertEqual(client.line(), "still there")
            client.close()

    def test_a_client_that_misbehaves_ends_alone(self):
        with self.server() as (_, port):
            good, endless, rude = Client(port), Client(port), Client(port)
            rude.send("after 3600000 x\nafter")
            rude.reset()
            with contextlib.suppress(OSError):
                endless.send("x" * 1_000_000)
            with contextlib.suppress(OSError):
                self.assertEqual(endless.line(), "")
            good.send("after 1 still there\n")
            self.assertEqual(good.line(), "still there")
            good.close()
            endless.close()

    def test_no_more_connections_than_allowed(self):
        with self.server(2) as (_, port):
            first, second, third = Client(port), Client(port), Client(port)
            third.send("after 1 third\n")
            for client in (first, second):
                client.send("after 50 in\n")
                self.assertEqual(client.line(), "in")
            third.socket.settimeout(0.2)
            with self.assertRaises(TimeoutError):
                third.socket.recv(1)
            first.close()
            third.socket.settimeout(60)
            self.assertEqual(third.socket.recv(100), b"third\n")
            second.close()
            third.close()

    def test_wrong_arguments(self):
        for arguments in ((), ("x",), ("-1",), ("65536",), ("0", "0"), ("0", "x"), ("0", "1", "2")):
            result = run("timer_server", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertRegex(result.stderr, "^expected PORT")

    def test_a_port_in_use_is_an_error(self):
        with self.server() as (_, port):
            result = run("timer_server", port)
            self.assertEqual(result.returncode, 1)
            self.assertIn("bind", result.stderr)


class Site(http.server.ThreadingHTTPServer):
    """A web site in memory that takes note of when it is asked and by how many at once."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, pages, delay=0.0):
        super().__init__(("127.0.0.1", 0), Answer)
        self.pages, self.delay = pages, delay
        self.lock = threading.Lock()
        self.asked, self.inside, self.inside_max = [], 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Answer(http.server.BaseHTTPRequestHandler):

    def do_GET(self):
        site = self.server
        with site.lock:
            site.asked.append((time.monotonic(), self.path))
            site.inside += 1
            site.inside_max = max(site.inside_max, site.inside)
        time.sleep(site.delay)
        page = site.pages.get(self.path)
        # Before the answer: the client may be there again before this thread goes on.
        with site.lock:
            site.inside -= 1
        self.send_response(200 if page is not None else 404)
        self.end_headers()
        self.wfile.write((page or "no such page").encode())

    def log_message(self, *_):
        pass


def page(*links):
    return "<html>" + "".join(f'<a href="{link}">x</a>' for link in links)


class Crawler(unittest.TestCase):

    PAGES = {
        "/": page("a.html", "/b/", "http://elsewhere.example/x", "//elsewhere.example/y", "#top",
                  "mailto:nobody", "missing.html", ""),
        "/a.html": page("/", "a.html#again", "b/"),
        "/b/": page("c.html", "../a.html", "./d.html?question"),
        "/b/c.html": page("/b/e.html"),
        "/b/d.html": page("../../../b/c.html"),
        "/b/e.html": page(),
    }

    def found(self, out):
        return sorted(re.findall(r"^200  depth (\d)  +\d+ bytes  (.*)$", out, re.MULTILINE))

    def test_finds_what_is_linked(self):
        with Site(self.PAGES) as site:
            result = run("rate_limited_crawler", site.url(), 1000, 4, 10)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.found(result.stdout), [
                ("0", "/"), ("1", "/a.html"), ("1", "/b/"), ("2", "/b/c.html"), ("2", "/b/d.html"),
                ("3", "/b/e.html")])
            self.assertRegex(result.stdout, r"404  depth 1 .*/missing\.html")
            self.assertRegex(result.stdout, r"6 pages\n$")
            self.assertEqual(len(site.asked), 7)  # each of them once

    def test_goes_no_deeper_than_asked(self):
        with Site(self.PAGES) as site:
            result = run("rate_limited_crawler", site.url(), 1000, 4, 1)
            self.assertEqual([path for _, path in self.found(result.stdout)],
                             ["/", "/a.html", "/b/"])
            self.assertEqual(len(site.asked), 4)

    def test_keeps_the_rate_and_the_connections(self):
        names = [f"/{number}.html" for number in range(40)]
        pages = {"/": page(*names), **{name: page() for name in names}}
        with Site(pages, delay=0.05) as site:
            result = run("rate_limited_crawler", site.url(), 50, 3, 1)
            self.assertEqual(len(self.found(result.stdout)), 41, result.stdout)
            self.assertLessEqual(site.inside_max, 3)
            self.assertGreaterEqual(site.inside_max, 2)
            times = sorted(at for at, _ in site.asked)
            # Forty intervals of 20 ms; the first request may have been seen late.
            self.assertGreaterEqual(times[-1] - times[0], 0.7)

    def test_a_server_that_is_not_there(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        result = run("rate_limited_crawler", f"http://127.0.0.1:{port}/", 10, 1, 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Connection refused", result.stdout)

    def test_a_server_that_speaks_something_else(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def greet():
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(b"220 not a web server\r\n")
            thread = threading.Thread(target=greet)
            thread.start()
            port = listener.getsockname()[1]
            result = run("rate_limited_crawler", f"http://localhost:{port}", 10, 1, 1)
            thread.join()
        self.assertEqual(result.returncode, 1)
        self.assertIn("not HTTP", result.stdout)

    def test_wrong_arguments(self):
        good = ["http://127.0.0.1:8000/", "10", "2", "3"]
        wrong = [[], good[:3], good + ["4"]]
        for index, values in enumerate([["127.0.0.1", "https://127.0.0.1/", "http://example.org/",
                                         "http://127.0.0.1:0/", "http://127.0.0.1:x/", "http:///"],
                                        ["0", "-1", "x", "1000001"], ["0", "10001"], ["-1", "y"]]):
            wrong += [good[:index] + [value] + good[index + 1:] for value in values]
        for arguments in wrong:
            result = run("rate_limited_crawler", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertRegex(result.stderr, "^expected http://")


@unittest.skipUnless((EXAMPLES / "step_tree").exists(), "there are no steps in this build")
class StepTree(unittest.TestCase):

    def test_an_order(self):
        result = run("step_tree", "tea", "milk")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout,
                         "paid 7 at attempt 3\ninvoice printed\npacked\ndelivered\n")

    def test_the_timeout_is_recovered_from(self):
        result = run("step_tree", "tea", "ice")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^paid 8(.|\n)*packed\ntoo late for today\n$")

    def test_an_error_ends_the_order(self):
        result = run("step_tree", "tea", "caviar", "milk")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "no order: OutOfStock (caviar)\n")

    def test_wrong_arguments(self):
        result = run("step_tree")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^expected the items")


class Snippets(unittest.TestCase):

    def test_they_do_what_the_reference_says(self):
        result = run("reference_snippets")
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
