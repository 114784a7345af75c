"""The meeting of ranks that MPI has started.

The hosts are network namespaces (host_namespaces.py). MPI_PROBE names the program of test/support that mpirun starts;
it is built where Open MPI is.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness
import host_namespaces

PROBE = os.environ.get("MPI_PROBE", "")
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
        self.assertRegex(lost["error"], "started as one of 4, but its MPI library reports 1. .*srun --mpi=pmix")

    def test_a_missing_part_is_named_with_what_to_install(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            alone = shutil.copy(PROBE, folder)
            (lost,) = probe(program=alone, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
            self.assertRegex(lost["error"], "libdrover_mpi.so.*apt install openmpi-bin")
            # One that is there and cannot be loaded is not passed over.
            pathlib.Path(folder, "libdrover_mpi.so").write_text("no library", encoding="utf-8")
            (lost,) = probe(program=alone, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
            self.assertRegex(lost["error"], f"{folder}/libdrover_mpi.so.*apt install openmpi-bin")


class Hosts(harness.TestCase):

    def test_ranks_of_several_hosts_meet(self):
        with host_namespaces.Hosts("a", "b", "c") as hosts:
            hosts.set_environment("a", OMPI_MCA_plm_rsh_agent=hosts.ssh)
            result = hosts.run_in("a", "mpirun", "--allow-run-as-root", "--host", "a,b,c", PROBE, "from b or c")
            said = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual([one["exchanged"] for one in said],
                             [[["", "from b or c", "from b or cfrom b or c"]]] * 3, result.stderr)
            hosts.expect_empty(ALL_ENDED_S)


if __name__ == "__main__":
    if not PROBE:
        print("skipped: built without Open MPI (apt install libopenmpi-dev)")
        sys.exit(77)
    host_namespaces.skip_unless_possible("mpirun")
    harness.main()
