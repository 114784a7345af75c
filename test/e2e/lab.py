"""The lab: experiments run, say what they measured, and end in an orderly way."""

import json
import os
import signal
import subprocess
import tempfile

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE


class Terminals(harness.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_every_model_and_both_documents(self):
        command = harness.drover("lab", "terminals", "-t", "1,2", "-w", 64, "-i", 0.4, "--repeat", 2,
                                 "--model", "coroutine,steps,machine,future,thread",
                                 "--json", self.path("lab.json"), "-o", self.path("lab.html"))
        self.expect(command, SUCCESS)
        self.assertIn("coroutine, threads: 1, terminals: 64, RPS: ", command.out)
        with open(self.path("lab.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["experiment"], "terminals")
        cells = document["cells"]
        self.assertEqual([(cell["subject"], cell["settings"]["workers"]) for cell in cells],
                         [(model, workers)
                          for model in ("coroutine", "steps", "machine", "future", "thread")
                          for workers in (1, 2)])
        for cell in cells:
            self.assertEqual(len(cell["rounds"]), 2)
            for figures in cell["rounds"]:
                # A terminal makes a thousand tasks a second at most.
                self.assertGreater(figures["tasks"], 0)
                self.assertLessEqual(figures["tasks_per_second"], 64_000 * 1.1)
                self.assertGreater(figures["cpu_seconds"], 0)
        with open(self.path("lab.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<svg", page)
        self.assertNotIn("<script", page)

    def test_multi_doubles_up_to_the_number(self):
        command = harness.drover("lab", "terminals", "-t", 1, "-w", 6, "-i", 0.02, "--multi",
                                 "--json", "-")
        self.expect(command, SUCCESS)
        document = json.loads(command.out)
        self.assertEqual([cell["settings"]["terminals"] for cell in document["cells"]], [1, 2, 4, 6])
        self.assertIn("terminals: 4, RPS: ", command.err)

    def test_wrong_use(self):
        for arguments, message in (
                (("lab",), "needs a subcommand"),
                (("lab", "terminals", "-w", 0), "not in range"),
                (("lab", "terminals", "-t", 0), "not in range"),
                (("lab", "terminals", "-i", 0), "not in range"),
                (("lab", "terminals", "--repeat", 0), "not in range"),
                (("lab", "terminals", "--model", "fiber"), "expected some of coroutine")):
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments)
                self.expect(command, USAGE)
                self.assertIn(message, command.err)

    def test_a_file_that_cannot_be_written_is_said_first(self):
        command = harness.drover("lab", "terminals", "-w", 1, "-i", 600,
                                 "--json", self.path("not/there.json"))
        self.expect(command, FAILURE)
        self.assertIn("there.json", command.err)

    def test_interrupted_with_what_there_is(self):
        process = subprocess.Popen(
            [harness.DROVER, "lab", "terminals", "-t", "1", "-w", "4", "-i", "0.05", "--repeat",
             "1000", "--json", self.path("lab.json")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.assertIn("terminals: 4", process.stdout.readline())
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C: the measurement's process gets it, too
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED)
        with open(self.path("lab.json"), encoding="utf-8") as file:
            cell = json.load(file)["cells"][0]
        self.assertGreaterEqual(len(cell["rounds"]), 1)
        self.assertNotIn("note", cell)


if __name__ == "__main__":
    harness.main()
