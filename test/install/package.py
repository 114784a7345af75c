"""The libraries as a package: installed into an empty folder, found by projects that know nothing of
Drover's tree. BUILD is the folder of the build, CXX its compiler."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["BUILD"])
CXX = os.environ["CXX"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def command(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class Package(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        result = command("cmake", "--install", BUILD, "--component", "library", "--prefix", cls.prefix)
        if result.returncode != 0:
            raise AssertionError(result.stdout)

    def configure(self, source, compiler=CXX):
        return command("cmake", "-S", source, "-B", source / "build", "-G", "Ninja",
                       f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                       # As a release, but compiled in half the time.
                       "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG")

    def build(self, source):
        for result in (self.configure(source), command("cmake", "--build", source / "build")):
            self.assertEqual(result.returncode, 0, result.stdout)
        return source / "build"

    def project(self, name, find_package, **sources):
        """A project of one program, made of `sources`."""
        folder = self.folder / name
        folder.mkdir()
        files = " ".join(f"{source}.cpp" for source in sources) or "none.cpp"
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\n"
            f"project({name} LANGUAGES CXX)\n"
            f"find_package({find_package})\n"
            f"add_executable({name} {files})\n"
            f"target_link_libraries({name} PRIVATE drover::coro)\n")
        for source, text in sources.items():
            (folder / f"{source}.cpp").write_text(text)
        return folder

    def test_the_library_is_a_component_of_its_own(self):
        self.assertEqual(sorted(entry.name for entry in self.prefix.iterdir()), ["include", "lib"])
        for folder in ("coro", "queue", "steps"):
            installed = {header.name for header in (self.prefix / "include/drover" / folder).glob("*.h")}
            self.assertEqual(installed, {header.name for header in (ROOT / "runtime" / folder).glob("*.h")
                                         if not header.name.endswith("_test.h")})
        self.assertEqual([], [path for path in self.prefix.rglob("*") if "test" in path.name])

    def test_the_program_is_the_other(self):
        if not (BUILD / "drover").exists():
            self.skipTest("the program is not built")
        prefix = self.folder / "runtime"
        result = command("cmake", "--install", BUILD, "--component", "runtime", "--prefix", prefix)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertTrue((prefix / "bin/drover").exists())
        self.assertFalse((prefix / "include").exists())

    def test_the_examples_build_and_run(self):
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        build = self.build(self.folder / "examples")
        result = command(sys.executable, "-B", ROOT / "test/install/examples.py",
                         env=dict(os.environ, EXAMPLES=str(build)))
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_first_program_of_the_documentation(self):
        page = (ROOT / "docs/library.md").read_text()
        folder = self.folder / "tea"
        folder.mkdir()
        for language, file in (("cmake", "CMakeLists.txt"), ("cpp", "tea.cpp")):
            block = re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
            (folder / file).write_text(block.group(1))
        result = command(self.build(folder) / "tea")
        self.assertEqual(result.stdout, "green tea is ready\nblack tea is ready\nmint tea is ready\n")

    def test_the_runtime_as_a_part_of_a_project_without_packages(self):
        folder = self.folder / "part"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(part LANGUAGES CXX)\n"
            "foreach(package fmt PostgreSQL nlohmann_json CLI11 Curses prometheus-cpp GTest)\n"
            "  set(CMAKE_DISABLE_FIND_PACKAGE_${package} TRUE)\n"
            "endforeach()\n"
            f"add_subdirectory({ROOT}/runtime runtime)\n"
            "add_executable(part part.cpp)\n"
            "target_link_libraries(part PRIVATE drover::coro drover::queue drover::steps)\n")
        (folder / "part.cpp").write_text(
            '#include "coro/block_on.h"\n#include "queue/ticket_queue.h"\n#include "steps/async_steps.h"\n'
            "int main() {\n"
            "  int not_used_and_no_error;\n"
            "  drover::coro::Worker worker;\n"
            "  drover::steps::AsyncSteps flow(worker);\n"
            "  return drover::coro::block_on(worker, []() -> drover::coro::Task<int> { co_return 0; }());\n"
            "}\n")
        self.assertEqual(command(self.build(folder) / "part").returncode, 0)

    def test_headers_compile_under_somebody_elses_warnings(self):
        headers = sorted((self.prefix / "include/drover").rglob("*.h"))
        names = [header.relative_to(self.prefix / "include/drover") for header in headers]
        text = "".join(f'#include "{name}"\n' for name in names) + "int main() {}\n"
        folder = self.project("headers", "drover 0.1 REQUIRED COMPONENTS coro", headers=text)
        with open(folder / "CMakeLists.txt", "a") as listing:
            listing.write("target_compile_options(headers PRIVATE -Wall -Wextra -Werror)\n")
        self.build(folder)

    def test_another_compiler_is_refused_with_the_reason(self):
        compiler = shutil.which("g++")
        if compiler is None:
            self.skipTest("g++ is not installed")
        folder = self.project("refused", "drover REQUIRED", main="int main() {}\n")
        result = self.configure(folder, compiler)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("Drover needs clang 19 or newer (found GNU", " ".join(result.stdout.split()))

    def test_versions_and_components_that_are_not_there_are_refused(self):
        for name, arguments in (("later", "drover 0.2 REQUIRED"), ("major", "drover 1.0 REQUIRED"),
                                ("unknown", "drover REQUIRED COMPONENTS coro sails")):
            folder = self.project(name, arguments, main="int main() {}\n")
            result = self.configure(folder)
            self.assertNotEqual(result.returncode, 0, arguments)
            self.assertIn("drover", result.stdout)


if __name__ == "__main__":
    unittest.main()
