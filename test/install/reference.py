"""docs/runtime-reference.md and runtime/README.md against the sources: their snippets are compiled code,
and the reference leaves out no public header."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/runtime-reference.md").read_text()
README = (ROOT / "runtime/README.md").read_text()


def lines_of(code):
    """What is compared: the lines without indentation, and without empty ones."""
    return [line.strip() for line in code.splitlines() if line.strip()]


class Reference(unittest.TestCase):

    def test_every_snippet_is_compiled(self):
        compiled = lines_of((ROOT / "examples/reference_snippets.cpp").read_text())
        snippets = re.findall(r"^```cpp\n(.*?)^```$", PAGE + README, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(snippets), 18)
        for snippet in snippets:
            wanted = lines_of(snippet)
            found = any(compiled[at:at + len(wanted)] == wanted for at in range(len(compiled)))
            self.assertTrue(found, "not in examples/reference_snippets.cpp:\n" + snippet)

    def test_every_header_is_described(self):
        for header in sorted((ROOT / "runtime/coro").glob("*.h")):
            self.assertIn(f"[{header.name}](#", PAGE)
        for folder in ("queue", "steps"):
            for header in (ROOT / "runtime" / folder).glob("*.h"):
                if not header.name.endswith("_test.h"):
                    self.assertIn(header.name, PAGE)

    def test_every_link_within_the_page_leads_somewhere(self):
        anchors = {re.sub(r"[^a-z0-9_ -]", "", title.lower()).replace(" ", "-")
                   for title in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)}
        for target in re.findall(r"\]\(#([^)]*)\)", PAGE):
            self.assertIn(target, anchors)


if __name__ == "__main__":
    unittest.main()
