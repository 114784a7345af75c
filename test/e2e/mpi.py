"""MPI: how ranks that it has started meet, and what becomes of members that mpirun has started on other hosts.

The hosts are network namespaces (host_namespaces.py). MPI_PROBE and LAUNCH_PROBE name the programs of test/support;
without the first, which is built where Open MPI is, nothing is tested.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness
import host_namespaces

PROBE = os.environ.get("MPI_PROBE", "")
LAUNCH = os.environ.get("LAUNCH_PROBE", "")
# As long as mpirun's daemons take to end what hangs: 5 s to SIGTERM and to SIGKILL each; and a slow machine's time.
ALL_ENDED_S = 60


def probe(*words, program=PROBE, before=(), **environment):
    result = subprocess.run([*before, program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=harness.PATIENCE_S, check=False,
                            env=harness.clean_environment(OMPI_ALLOW_RUN_AS_ROOT="1",
                                                          OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **environment))
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise AssertionError(f"exit code {result.returncode}: {result.stdout}{result.stderr}")
    return lines


class Meeting(harness.TestCase):

    def test_each_learns_what_each_has_given_and_mpi_is_left(self):
        said = probe("ab", "\xe4", before=["mpirun", "-n", "3", "--oversubscribe"])
        self.assertEqual(sorted(one["rank"] for one in said), [0, 1, 2])
        for one in said:
            self.assertEqual((one["several"], one["size"]), (True, 3))
            self.assertEqual(one["exchanged"], [["", "ab", "abab"], ["", "\xe4", "\xe4\xe4"]])
            self.assertEqual(one["after"]["threads"], one["before"]["threads"])
            self.assertEqual(one["after"]["sockets"], one["before"]["sockets"])

    def test_mpirun_of_one_is_no_meeting(self):
        (alone,) = probe(before=["mpirun", "-n", "1"])
        self.assertFalse(alone["several"])

    def test_who_was_started_by_another_mpi_is_not_taken_for_one_alone(self):
        (lost,) = probe(PMI_RANK="1", PMI_SIZE="4")
        self.assertRegex(lost["error"], "started as one of 4, and its MPI library knows of 1: .*srun --mpi=pmix")

    def test_a_missing_part_is_named_with_what_to_install(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            alone = shutil.copy(PROBE, folder)
            (lost,) = probe(program=alone, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
            self.assertRegex(lost["error"], "libdrover_mpi.so.*apt install openmpi-bin")
            # One that is there and cannot be loaded is not passed over.
            pathlib.Path(folder, "libdrover_mpi.so").write_text("no library", encoding="utf-8")
            (lost,) = probe(program=alone, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
            self.assertRegex(lost["error"], f"{folder}/libdrover_mpi.so.*apt install openmpi-bin")


class Launching(harness.TestCase):

    def setUp(self):
        self.hosts = host_namespaces.Hosts("a", "b", "c", "d")
        self.addCleanup(self.hosts.remove)
        self.set_environment()
        self.said = self.hosts.home("a") / "said"

    def set_environment(self, **variables):
        # More than 64 hosts would have a tree of daemons, and four hosts as deep a one by this: there must be none.
        self.hosts.set_environment("a", OMPI_MCA_plm_rsh_agent=self.hosts.agent, OMPI_MCA_routed_radix=1, **variables)

    def launch(self, hosts, seconds=3600):
        """On host a; returns when all members are up."""
        with open(self.said, "wb") as said:
            launch = self.hosts.begin_in("a", LAUNCH, hosts, seconds, stdout=said, stderr=said)
        self.addCleanup(launch.wait)
        self.addCleanup(launch.kill)
        harness.wait_until(lambda: len(self.members_said()) == len(hosts.split(",")) or launch.poll() is not None,
                           "the members")
        return launch

    def members_said(self):
        return [line for line in self.text().splitlines() if line.startswith("member ")]

    def text(self):
        return self.said.read_text(encoding="utf-8", errors="replace")

    def process(self, host, *words):
        (pid,) = [pid for pid, line in self.hosts.processes_in(host).items()
                  if line.split(" ")[:len(words)] == list(words)]
        return pid

    def kill(self, host, *words, number=signal.SIGKILL):
        os.kill(self.process(host, *words), number)

    def test_ranks_are_in_the_order_of_the_hosts_and_know_the_secret_that_no_command_line_shows(self):
        self.launch("b,a,b")
        self.assertEqual(sorted(self.members_said()), ["member 0 of 3 on b knows a secret",
                                                       "member 1 of 3 on a knows a secret",
                                                       "member 2 of 3 on b knows a secret"])
        for processes in self.hosts.remaining().values():
            self.assertNotIn("a secret", " ".join(processes.values()))

    def test_ranks_of_several_hosts_meet(self):
        result = self.hosts.run_in("a", "mpirun", "--allow-run-as-root", "--host", "a,b,c", PROBE, "from b or c")
        said = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([one["exchanged"] for one in said],
                         [[["", "from b or c", "from b or cfrom b or c"]]] * 3, result.stderr)
        self.hosts.expect_empty(ALL_ENDED_S)

    def test_all_end_when_they_are_asked_to(self):
        launch = self.launch("a,b,c", seconds=1)
        launch.wait(harness.PATIENCE_S)
        self.assertRegex(self.text(), r"(?m)^mpirun ended with exit code \d+$")
        self.hosts.expect_empty(ALL_ENDED_S)

    def test_the_loss_of_one_leaves_the_others_alone(self):
        self.set_environment(OMPI_MCA_odls_base_sigkill_timeout=1)
        self.launch("a,b,c,d")
        self.kill("d", LAUNCH, "member")
        self.kill("b", "orted")
        harness.wait_until(lambda: not self.hosts.processes_in("b"), "the end of host b")
        # Within 2 s all others would be ended, were they to be.
        time.sleep(4)
        for host in "ac":
            self.process(host, LAUNCH, "member")
        self.assertNotIn("mpirun ended", self.text())

    def test_nothing_stays_when_the_launch_is_killed(self):
        launch = self.launch("a,b,c")
        self.kill("c", LAUNCH, "member", number=signal.SIGSTOP)
        launch.kill()
        self.hosts.expect_empty(ALL_ENDED_S)

    def test_nothing_stays_on_a_host_that_is_cut_off_nor_beside_mpirun(self):
        launch = self.launch("a,b,c", seconds=1)
        self.hosts.cut("b")
        launch.wait(harness.PATIENCE_S)
        self.hosts.expect_empty(ALL_ENDED_S)

    def test_a_member_that_is_cut_off_takes_its_daemon_with_it(self):
        self.launch("a,b")
        self.hosts.cut("b")
        self.kill("b", LAUNCH, "member", number=signal.SIGUSR1)
        harness.wait_until(lambda: not self.hosts.processes_in("b"), "the end of host b", ALL_ENDED_S)
        self.process("a", LAUNCH, "member")

    def test_a_host_that_cannot_be_reached(self):
        self.hosts.cut("b")
        launch = self.launch("a,b")
        launch.wait(harness.PATIENCE_S)
        self.assertRegex(self.text(), "connect to host b: No route to host")
        self.assertEqual(self.members_said(), [])
        self.hosts.expect_empty(ALL_ENDED_S)


if __name__ == "__main__":
    if not PROBE:
        print("skipped: built without Open MPI (apt install libopenmpi-dev)")
        sys.exit(77)
    host_namespaces.skip_unless_possible("mpirun")
    harness.main()
