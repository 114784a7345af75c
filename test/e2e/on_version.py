"""Runs other end-to-end tests with the servers of another version of PostgreSQL: on_version.py VERSION TEST.py…

The version is one of scripts/fetch-postgres, a major one its newest. Without its programs this is skipped (77).
"""

import fcntl
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]


def programs_of(version):
    """The folder of its programs among those that are here, or nothing."""
    have = subprocess.run([ROOT / "scripts" / "fetch-postgres", "--have"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout.split()
    for folder in map(pathlib.Path, have):
        name = folder.parent.name
        if name == version or name.split(".")[0] == version and name != "18.1":
            return folder
    return None


def make_cluster(folder, environment):
    """The data that its servers begin with, as the test `cluster` makes those of the installed version."""
    with open(f"{folder}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([ROOT / "test" / "support" / "make_cluster", os.environ["DROVER"], folder], check=True,
                       env=environment)


def main():
    version, *tests = sys.argv[1:]
    programs = programs_of(version)
    if programs is None:
        print(f"skipped: PostgreSQL {version} is not here: scripts/fetch-postgres {version}")
        sys.exit(SKIPPED)
    environment = dict(os.environ, DROVER_PG_BINDIR=str(programs), DROVER_TEST_PG_BINDIR=str(programs))
    cluster = os.environ.get("DROVER_TEST_CLUSTER")
    if cluster:
        environment["DROVER_TEST_CLUSTER"] = f"{cluster}.{version}"
        make_cluster(environment["DROVER_TEST_CLUSTER"], environment)
    for test in tests:
        folder = pathlib.Path(__file__).parent
        code = subprocess.run([sys.executable, "-B", folder / test], env=environment, check=False).returncode
        if code != 0:
            sys.exit(code)


if __name__ == "__main__":
    main()
