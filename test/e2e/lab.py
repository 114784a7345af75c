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
        self.assertIn("coroutine, threads: 1, terminals: 64, tasks/s: ", command.out)
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
        self.assertIn("terminals: 4, tasks/s: ", command.err)

    def test_wrong_use(self):
        for arguments, message in (
                (("lab",), "needs a subcommand"),
                (("lab", "terminals", "-w", 0), "number from "),
                (("lab", "terminals", "-t", 0), "number from "),
                (("lab", "terminals", "-i", 0), "number from "),
                (("lab", "terminals", "--repeat", 0), "number from "),
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
            document = json.load(file)
        self.assertIs(document["interrupted"], True)
        cell = document["cells"][0]
        self.assertGreaterEqual(len(cell["rounds"]), 1)
        self.assertNotIn("note", cell)


class Switch(harness.TestCase):

    def document(self, *arguments, seconds):
        """A machine that stands still lets no operation come to an end: a longer measurement has some."""
        for factor in (1, 10, 100):
            command = harness.drover("lab", "switch", "--warm-up", 0, "-i", factor * seconds,
                                     *arguments, "--json", "-")
            if "Increase --interval" not in command.err:
                break
        self.expect(command, SUCCESS)
        return json.loads(command.out), command.err

    def test_every_model(self):
        document, said = self.document("-t", "1,2", "-w", 8, "--repeat", 2, "--work", 500, "--model",
                                       "coroutine,steps,machine,future,thread", seconds=0.3)
        self.assertEqual(document["experiment"], "switch")
        self.assertIs(document["interrupted"], False)
        self.assertIn("coroutine, workers: 2, flows: 8, operations/s: ", said)
        self.assertIn("thread, flows: 8, operations/s: ", said)
        self.assertIn("500 ns = ", document["findings"][0])
        self.assertEqual([(cell["subject"], cell["settings"].get("workers"))
                          for cell in document["cells"]],
                         [("coroutine", 1), ("coroutine", 2), ("steps", 1), ("steps", 2),
                          ("machine", 1), ("machine", 2), ("future", 1), ("future", 2),
                          ("thread", None)])
        for cell in document["cells"]:
            self.assertEqual(len(cell["rounds"]), 2)
            for figures in cell["rounds"]:
                self.assertGreater(figures["operations"], 0)
                self.assertAlmostEqual(figures["operations_per_second"],
                                       figures["operations"] / figures["seconds"], delta=1)
                self.assertGreaterEqual(figures["seconds"], 0.3)
                self.assertGreater(figures["wall_seconds"], figures["seconds"])

    def test_multi_doubles_up_to_the_number(self):
        document, said = self.document("-t", 1, "-w", 6, "--multi", "--model", "machine",
                                       seconds=0.1)
        self.assertEqual([cell["settings"]["flows"] for cell in document["cells"]], [1, 2, 4, 6])
        self.assertIn("machine on 1 worker: the highest rate is ", document["findings"][1])
        self.assertIn("One round", said)

    def test_wrong_use(self):
        for arguments, message in ((("-w", 0), "number from "),
                                   (("-t", 0), "number from "),
                                   (("--work", 0), "number from "),
                                   (("--warm-up", -1), "number from "),
                                   (("-i", 0), "number from "),
                                   (("--model", "fiber"), "expected some of coroutine")):
            with self.subTest(arguments=arguments):
                command = harness.drover("lab", "switch", *arguments)
                self.expect(command, USAGE)
                self.assertIn(message, command.err)


class Steps(harness.TestCase):

    OWN = ["coroutine", "asyncsteps", "nitrosteps", "nitrosteps-default"]
    FIBERS = ["fiber-protected", "fiber-pooled"]
    SMALL = ("--flows", 700, "--wave", 300, "--waits", 1000)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_every_test_and_both_documents(self):
        json_file = os.path.join(self.folder, "lab.json")
        html_file = os.path.join(self.folder, "lab.html")
        command = harness.drover("lab", "steps", *self.SMALL, "--repeat", 2, "--json", json_file,
                                 "-o", html_file)
        self.expect(command, SUCCESS)
        self.assertRegex(command.out, r"coroutine waits: [0-9.]+[kM]? Hz, time: ")
        with open(json_file, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["experiment"], "steps")
        cells = {cell["subject"]: cell for cell in document["cells"]}
        # A build without fibers says so in place of figures.
        models = self.OWN + [fiber for fiber in self.FIBERS
                             if not any(finding.startswith(f"{fiber}: not in ")
                                        for finding in document["findings"])]
        sizes = {"simple": (700, 1, 0), "parallel": (700, 300, 700), "waits": (300, 300, 1000)}
        self.assertEqual(set(cells), {f"{model} {test}" for model in models for test in sizes})
        for test, (flows, at_once, waits) in sizes.items():
            for model in models:
                cell = cells[f"{model} {test}"]
                self.assertEqual(cell["settings"],
                                 {"flows": flows, "at_once": at_once, "waits": waits})
                self.assertEqual(len(cell["rounds"]), 2)
                for figures in cell["rounds"]:
                    operations = figures["operations_per_second"] * figures["seconds"]
                    self.assertAlmostEqual(operations, waits if test == "waits" else flows, 3)
                    self.assertGreater(figures["peak_bytes"], 0)
        self.assertTrue(document["findings"][-1])
        self.assertIn("times the rate of asyncsteps waits.", command.out)
        with open(html_file, encoding="utf-8") as file:
            self.assertIn(">Findings<", file.read())

    def test_fibers_are_measured_or_said_to_be_missing(self):
        command = harness.drover("lab", "steps", *self.SMALL, "--model", "fiber-pooled", "--test",
                                 "waits", "--json", "-")
        [cell] = json.loads(command.out)["cells"]
        if "note" in cell:
            self.expect(command, FAILURE)
            self.assertIn("not in ", cell["note"])
            self.assertIn(cell["note"], command.err)
        else:
            self.expect(command, SUCCESS)
            self.assertIn("fiber-pooled waits: ", command.err)

    def test_wrong_use(self):
        for arguments, message in (
                (("--flows", 0), "number from "),
                (("--wave", 0), "number from "),
                (("--waits", 0), "number from "),
                (("--test", "wait"), "--test wait: expected some of simple, parallel, waits"),
                (("--model", "fiber"), "expected some of coroutine, asyncsteps")):
            with self.subTest(arguments=arguments):
                command = harness.drover("lab", "steps", *arguments)
                self.expect(command, USAGE)
                self.assertIn(message, command.err)


class Queues(harness.TestCase):

    def test_every_queue_of_this_build(self):
        command = harness.drover("lab", "queues", "--ratios", "1:2,2:1", "--seconds", 0.02,
                                 "--repeat", 2, "--batch", 16, "--json", "-")
        self.expect(command, SUCCESS)
        document = json.loads(command.out)
        self.assertEqual(document["experiment"], "queues")
        queues = ["none", "segment", "array-epochs", "array-hazard-pointers", "batch", "ticket",
                  "locked", "moodycamel"]
        if any("without moodycamel" in sentence for sentence in document["method"]):
            queues.remove("moodycamel")
        self.assertEqual([(cell["settings"]["producers"], cell["settings"]["consumers"],
                           cell["subject"]) for cell in document["cells"]],
                         [(*ratio, queue) for ratio in ((1, 2), (2, 1)) for queue in queues])
        for cell in document["cells"]:
            self.assertEqual(len(cell["rounds"]), 2)
            self.assertNotIn("note", cell)  # which says that items were lost
        self.assertIn("1:2 ticket: ", command.err)

    def test_asked_for_alone(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            page = os.path.join(folder, "queues.html")
            command = harness.drover("lab", "queues", "--ratios", "1:1", "--queues", "ticket,locked",
                                     "--work", 8, "--unbalanced", "--seconds", 0.01, "--repeat", 1,
                                     "-o", page)
            self.expect(command, SUCCESS)
            self.assertIn("1:1 locked: ", command.out)
            self.assertNotIn("segment", command.out)
            with open(page, encoding="utf-8") as file:
                self.assertIn("ticket: items/s divided by those of the better of locked and moodycamel", file.read())

    def test_wrong_use(self):
        for arguments, message in ((("--ratios", "1:0"), "--ratios 1:0: expected producers:consumers"),
                                   (("--ratios", "4"), "--ratios 4: expected"),
                                   (("--ratios", "1:1,2:9999"), "--ratios 2:9999: expected"),
                                   (("--queues", "ring"), "--queues ring: expected some of none"),
                                   (("--batch", 0), "number from "),
                                   (("--work", -1), "number from "),
                                   (("--seconds", 0), "number from ")):
            with self.subTest(arguments=arguments):
                command = harness.drover("lab", "queues", *arguments)
                self.expect(command, USAGE)
                self.assertIn(message, command.err)


class Scheduler(harness.TestCase):

    def document(self, *arguments, workers=2):
        command = harness.drover("lab", "scheduler", "--spawners", "2,3", "--workers", workers,
                                 "--tasks", 1000, "--seconds", 0.01, "--repeat", 2, *arguments,
                                 "--json", "-")
        self.expect(command, SUCCESS)
        return json.loads(command.out), command.err

    def test_both_in_turns(self):
        document, said = self.document()
        self.assertEqual(document["experiment"], "scheduler")
        self.assertEqual([(cell["settings"]["spawners"], cell["subject"])
                          for cell in document["cells"]],
                         [(2, "direct"), (2, "relay"), (3, "direct"), (3, "relay")])
        for direct, relay in (document["cells"][:2], document["cells"][2:]):
            for one, other in zip(direct["rounds"], relay["rounds"], strict=True):
                self.assertGreater(one["tasks_per_second"], 0)
                self.assertEqual(one["relay_batches_per_million"], 0)
                self.assertNotIn("relay_to_direct", one)
                self.assertAlmostEqual(other["relay_to_direct"],
                                       other["tasks_per_second"] / one["tasks_per_second"])
        self.assertIn("2 spawners, 2 workers: direct ", said)
        self.assertIn("The relay gains most with ", document["findings"][0])

    def test_from_outside_all_goes_through_the_global_list(self):
        # With more workers a thief that is held up may keep a ring full.
        document, _ = self.document("--outside", workers=1)
        self.assertIn("outside of the pool", document["method"][0])
        for cell in document["cells"]:
            if cell["subject"] == "direct":
                self.assertEqual(cell["median"]["overflow_share"], 0)

    def test_wrong_use(self):
        for arguments in (("--spawners", 0), ("--workers", 1025), ("--tasks", 0), ("--seconds", 0)):
            with self.subTest(arguments=arguments):
                command = harness.drover("lab", "scheduler", *arguments)
                self.expect(command, USAGE)
                self.assertIn("number from ", command.err)


if __name__ == "__main__":
    harness.main()
