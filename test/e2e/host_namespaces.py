"""Hosts that are none: network namespaces joined by a switch, each with a name, an address and files of its own.

`Hosts("a", "b")` makes them where the machine lets it (`why_not()`). Their processes are this machine's, so that a test
sees and kills them as any other. What keeps a host alive is one process, and what keeps that alive is the test: when it
ends in whatever way, the hosts and the wires between them are gone.
"""

import contextlib
import ctypes
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import harness

PREFIX = "10.77.0"
DATABASE = "db"

_PR_SET_PDEATHSIG = 1
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)

# Replaces ssh, for drover and for mpirun: with the arguments OPTION… HOST WORD…, a shell of that host
# executes the words. Like ssh it runs until the command has ended, does not notice that end on a host
# that is cut off, and does not end the command when it is killed itself.
_SSH = """#!/bin/bash
while [[ $1 == -* ]]; do
  [ "$1" = -o ] && shift
  shift
done
host=$1
shift
folder={folder}
[ -r "$folder/$host/holder" ] || {{
  echo "ssh: Could not resolve hostname $host: Name or service not known" >&2; exit 255; }}
reached() {{
  [ "$(readlink /proc/self/ns/net)" = "$(cat "$folder/$host/network")" ] && return
  # A host that refuses is there; nothing listens at this port of it.
  answer=$( (exec 3<>"/dev/tcp/$(cat "$folder/$host/address")/22") 2>&1 )
  [[ $answer == *refused* ]]
}}
reached || {{ echo "ssh: connect to host $host port 22: ${{answer##*: }}" >&2; exit 255; }}
exec 3<&0
setsid "$folder/enter" "$host" sh -c "$*" <&3 3<&- &
wait $!
code=$?
until reached; do sleep 1; done
exit $code
"""

_ENTER = """#!/bin/bash
folder={folder}
host=$1
shift
export_more=()
while IFS= read -r line; do export_more+=("$line"); done <"$folder/$host/environment"
exec nsenter --target "$(cat "$folder/$host/holder")" --net --uts --mount {time} \\
  env -i HOME="$folder/$host" USER=root PATH="$PATH" TMPDIR="$folder/$host/tmp" OMPI_MCA_orte_tmpdir_base="$folder/scratch" \\
  "${{export_more[@]}}" \\
  sh -c 'cd "$HOME" && exec "$@"' sh "$@"
"""

# $1 name, $2 folder. Says that all is made, and stays.
_HOLDER = """
set -e
hostname "$1"
mount --bind "$2/hosts" /etc/hosts
mount -t tmpfs shm /dev/shm
mount -t tmpfs scratch "$2/scratch"
ip link set lo up
echo $$
exec sleep infinity
"""


@functools.cache
def why_not():
    """Why hosts cannot be made here; an empty text if they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "nft", "unshare", "nsenter"):
        if not shutil.which(program):
            return f"there is no {program} (apt install iproute2 nftables util-linux)"
    try:
        with Hosts("a", "b") as hosts:
            hosts.cut("b")
            if _answers(hosts, "a", "b"):
                return "the packet filter lets through what it should drop"
            hosts.heal("b")
            if not _answers(hosts, "a", "b"):
                return "two network namespaces do not reach each other"
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or "").strip()
        return f"network namespaces cannot be made: {said or error}"
    return ""


def skip_unless_possible(*programs):
    """Ends the test as skipped (77), with the reason on the screen, where hosts or these programs are missing."""
    missing = [program for program in programs if not shutil.which(program)]
    reason = f"there is no {missing[0]}" if missing else why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)


def _answers(hosts, name, other):
    return hosts.run_in(name, "bash", "-c", f"exec 3<>/dev/tcp/{hosts.address(other)}/22",
                        timeout=20).stderr.find("refused") >= 0


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _run(*words):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True).stdout


class Hosts:

    def __init__(self, *names, monotonic=None):
        """`monotonic`: by name, seconds that the host's clock of what time has passed is ahead (a time namespace)."""
        self.names = names
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-hosts-"))
        self.folder.chmod(0o755)
        (self.folder / "scratch").mkdir()  # each host has another one there
        self._holders = {}
        self._networks = {}
        self._switch = None
        self._cut = set()
        try:
            self._make(monotonic or {})
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def _make(self, monotonic):
        lines = "".join(f"{self.address(name)} {name}\n" for name in (*self.names, DATABASE))
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost\n{lines}", encoding="utf-8")
        time = "--time" if monotonic else ""
        self._write_program("ssh", _SSH)
        self._write_program("enter", _ENTER, time=time)
        self._switch = self._hold("switch", 0)
        self._in_switch("ip", "link", "add", "switch", "type", "bridge")
        self._in_switch("ip", "link", "set", "switch", "up")
        for name in (*self.names, DATABASE):
            folder = self.folder / name
            (folder / "tmp").mkdir(parents=True)
            (folder / "tmp").chmod(0o1777)
            self._holders[name] = self._hold(name, monotonic.get(name, 0))
            (folder / "holder").write_text(str(self._holders[name][1]), encoding="utf-8")
            self._networks[name] = os.readlink(f"/proc/{self._holders[name][1]}/ns/net")
            (folder / "network").write_text(self._networks[name], encoding="utf-8")
            (folder / "address").write_text(self.address(name), encoding="utf-8")
            self.set_environment(name)
            self._wire(name)

    def _write_program(self, name, text, **more):
        program = self.folder / name
        program.write_text(text.format(folder=self.folder, **more), encoding="utf-8")
        program.chmod(0o755)

    def _hold(self, name, monotonic):
        time = ["--time", f"--monotonic={monotonic}"] if monotonic else []
        process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", *time, "--fork", "--kill-child", "sh", "-c", _HOLDER, "holder",
             name, str(self.folder)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, preexec_fn=_die_with_parent)
        said = process.stdout.readline().strip()
        if not said:
            raise OSError(process.communicate()[1].strip())
        return process, int(said)

    def _wire(self, name):
        self._in_switch("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns",
                        self._holders[name][1])
        self._in_switch("ip", "link", "set", f"to-{name}", "master", "switch", "up")
        enter = ["nsenter", "--target", self._holders[name][1], "--net"]
        _run(*enter, "ip", "address", "add", f"{self.address(name)}/24", "dev", "eth0")
        _run(*enter, "ip", "link", "set", "eth0", "up")

    def _in_switch(self, *words):
        return _run("nsenter", "--target", self._switch[1], "--net", *words)

    def address(self, name):
        return f"{PREFIX}.{250 if name == DATABASE else self.names.index(name) + 1}"

    @property
    def ssh(self):
        """Returns the program for DROVER_SSH and OMPI_MCA_plm_rsh_agent."""
        return str(self.folder / "ssh")

    def home(self, name):
        """Where what is started on this host begins, and where its temporary files lie."""
        return self.folder / name

    def set_environment(self, name, **variables):
        """What all processes have that are started on this host from now on."""
        (self.folder / name / "environment").write_text(
            "".join(f"{key}={value}\n" for key, value in variables.items()), encoding="utf-8")

    def words_in(self, name, *words):
        """The command line that executes one on this host."""
        return [str(self.folder / "enter"), name, *map(str, words)]

    def run_in(self, name, *words, timeout=harness.PATIENCE_S):
        """To its end; what it wrote is in the answer's stdout and stderr."""
        return subprocess.run(self.words_in(name, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=timeout, check=False)

    def begin_in(self, name, *words, **more):
        """`more` is Popen's."""
        return subprocess.Popen(self.words_in(name, *words), stdin=subprocess.DEVNULL, **more)

    @contextlib.contextmanager
    def entered(self, name):
        """Sockets that this thread makes meanwhile are that host's."""
        with open("/proc/thread-self/ns/net", "rb") as here, \
                open(f"/proc/{self._holders[name][1]}/ns/net", "rb") as there:
            self._enter(there)
            try:
                yield
            finally:
                self._enter(here)

    @staticmethod
    def _enter(network):
        if _libc.setns(network.fileno(), _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def cut(self, *names):
        """From now on nothing comes from these hosts or to them, and nobody is told."""
        self._cut |= set(names)
        self._filter()

    def heal(self, *names):
        self._cut -= set(names)
        self._filter()

    def _filter(self):
        drops = "".join(f'iifname "to-{name}" drop\noifname "to-{name}" drop\n' for name in sorted(self._cut))
        self._in_switch("nft", "add table bridge cut\ndelete table bridge cut\ntable bridge cut {\nchain passing {\n"
                               f"type filter hook forward priority 0\n{drops}}}\n}}\n")

    def processes_in(self, name):
        """Who lives on this host: the command lines by id."""
        found = {}
        network = self._networks[name]
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            pid = int(folder.name)
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if os.readlink(folder / "ns/net") == network and harness.is_alive(pid):
                    words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    found[pid] = " ".join(words).strip()
        process, holder = self._holders[name]
        for pid in (process.pid, holder):
            found.pop(pid, None)
        return found

    def remaining(self):
        """Who lives on any of the hosts but the database's, by name."""
        lives = {name: self.processes_in(name) for name in self.names}
        return {name: processes for name, processes in lives.items() if processes}

    def expect_empty(self, seconds):
        """Nothing but the database lives within so many seconds."""
        with contextlib.suppress(AssertionError):
            harness.wait_until(lambda: not self.remaining(), "empty hosts", seconds)
        if self.remaining():
            raise AssertionError(f"processes stayed behind: {self.remaining()}")

    def remove(self):
        for name in self._networks:
            # Who is killed may just have started another.
            while self.processes_in(name):
                for pid in self.processes_in(name):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        for process, _ in (*self._holders.values(), *([self._switch] if self._switch else [])):
            process.kill()
            process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


class HostsServer(harness.Server):
    """A private server that all hosts reach by TCP, on a host of its own; for the test by its Unix socket."""

    def __init__(self, hosts, warehouses=0):
        super().__init__(warehouses=warehouses)
        self._socket = None
        self._hosts = hosts
        self._postmaster = None

    def start(self, *settings):
        super().start(*settings)
        status = self.status()
        data = pathlib.Path(status["data"])
        owner = data.stat()
        programs = pathlib.Path(os.readlink(f"/proc/{status['pid']}/exe")).parent
        with open(data / "pg_hba.conf", "a", encoding="utf-8") as rules:
            rules.write(f"host all all {PREFIX}.0/24 trust\n")
        self._socket = re.search(r"host=(\S+)", status["connection"])[1]
        harness.expect(self.drover("pg", "stop"), harness.SUCCESS)
        pathlib.Path(self._socket).mkdir(mode=0o700, exist_ok=True)
        os.chown(self._socket, owner.st_uid, owner.st_gid)
        account = [] if os.geteuid() else ["setpriv", f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}",
                                           "--clear-groups"]
        with open(self.folder / "log", "ab") as log:
            self._postmaster = self._hosts.begin_in(
                DATABASE, *account, programs / "postgres", "-D", data, "-k", self._socket, "-p", "5432", "-c",
                f"listen_addresses={self._hosts.address(DATABASE)}", "-c", "max_connections=400", stdout=log,
                stderr=log, start_new_session=True)
        harness.wait_until(self._answers, "the server of the hosts")

    def _answers(self):
        if self._postmaster.poll() is not None:
            raise AssertionError((self.folder / "log").read_text(errors="replace"))
        with contextlib.suppress(harness.SessionError), self.session():
            return True
        return False

    @property
    def conninfo(self):
        return f"host={self._hosts.address(DATABASE)} port=5432 user=drover dbname=drover"

    @property
    def socket_folder(self):
        return self._socket

    def sql(self, text):
        with self.session() as session:
            return session.sql(text)

    def remove(self):
        if self._postmaster:
            self._quit(self._postmaster.pid)
            self._postmaster.wait()
        super().remove()
