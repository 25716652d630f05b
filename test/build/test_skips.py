"""test_skips.py - no test is skipped unnoticed: every reason to skip is in test/skips.txt and no other, no law is skipped
for want of a verb, and a run with another skip fails.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("UMBEL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tools"))
import slowest  # noqa: E402

ALLOWED = slowest.skips_allowed(ROOT / "test" / "skips.txt")
CASE = """<testsuite><testcase name="{name}" classname="{suite}" result="{result}" time="0">{inside}</testcase></testsuite>"""


def reasons_in_sources():
    """(file, reason) of every skip; what is added to a reason at run time is a star."""
    for file in sorted((ROOT / "test").rglob("*.[hc]pp")):
        for at in re.finditer(r'GTEST_SKIP\(\)\s*<<\s*"([^"]*)"([^;]*);', file.read_text()):
            yield file.relative_to(ROOT), at[1] + ("*" if "<<" in at[2] else "")


class Skips(unittest.TestCase):
    def test_every_reason_is_listed_and_every_listed_one_is_there(self):
        found = {reason for _, reason in reasons_in_sources()}
        self.assertEqual(found, {reason for _, reason in ALLOWED})

    def test_every_skip_gives_a_reason(self):
        for file in sorted((ROOT / "test").rglob("*.[hc]pp")):
            text = file.read_text()
            self.assertEqual(text.count("GTEST_SKIP("), len(re.findall(r'GTEST_SKIP\(\)\s*<<\s*"', text)), file)

    def test_no_test_ends_in_success_it_did_not_show(self):
        for file in sorted((ROOT / "test").rglob("*.cpp")):
            self.assertNotIn("SUCCEED()", file.read_text(), file)

    def test_no_law_is_skipped(self):
        self.assertEqual([str(file) for file, _ in reasons_in_sources() if "laws" in file.parts], [])

    def test_listed_tests_are_there(self):
        for name, _ in ALLOWED:
            area, suite, *test = name.split(".")
            if suite == "*":
                self.assertTrue((ROOT / "test" / area).is_dir(), name)
                continue
            sources = "".join(file.read_text() for file in (ROOT / "test" / area).glob("*.cpp"))
            title = test[0] if test[0] != "*" else r"\w+"
            self.assertRegex(sources, rf"TEST(_F|_P)?\({suite.rstrip('*')}, {title}\)", name)

    def closing_line(self, result, reason):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "results")
            results.mkdir()
            (results / "ctest.xml").write_text(
                '<testsuite><testcase name="set.quarter_0" time="1" status="run"/></testsuite>')
            inside = f'<skipped message="x">/a/b_test.cpp:12\n{reason}</skipped>' if reason else ""
            (results / "set.quarter_0.xml").write_text(
                CASE.format(name="SizesFollowTheFormula", suite="ExactSet", result=result, inside=inside))
            done = subprocess.run([sys.executable, ROOT / "tools" / "slowest.py", folder],
                                  capture_output=True, text=True, check=False)
            return done.stdout.splitlines()[-1], done.returncode

    def test_a_run_with_another_skip_fails(self):
        self.assertEqual(self.closing_line("completed", ""), ("1 passed, 0 failed", 0))
        self.assertEqual(self.closing_line("skipped", "full-size runs only"), ("0 passed, 0 failed", 0))
        self.assertEqual(self.closing_line("skipped", "no time today"), ("0 passed, 1 failed", 1))

    def test_what_failed_is_shown_with_its_output(self):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "results")
            results.mkdir()
            run = "[ RUN      ] A.{0}\nsaid {0}\n{1} A.{0} (0 ms)\n"
            (results / "ctest.xml").write_text(
                '<testsuite><testcase name="set.quarter_0" time="1" status="fail"><system-out>' +
                run.format("Good", "[       OK ]") + run.format("Bad", "[  FAILED  ]") +
                '</system-out></testcase><testcase name="set.quarter_1" time="1" status="fail"><system-out>' +
                run.format("Fine", "[       OK ]") + "[ RUN      ] A.Dies\n</system-out></testcase></testsuite>")
            (results / "set.quarter_0.xml").write_text(
                "<testsuite>" + CASE.format(name="Good", suite="A", result="completed", inside="") +
                CASE.format(name="Bad", suite="A", result="completed", inside="<failure/>") + "</testsuite>")
            done = subprocess.run([sys.executable, ROOT / "tools" / "slowest.py", folder],
                                  capture_output=True, text=True, check=False)
        for shown in ("failed: set.A.Bad", "said Bad", "failed: set.quarter_1", "[ RUN      ] A.Dies"):
            self.assertIn(shown, done.stdout)
        for hidden in ("said Good", "said Fine"):
            self.assertNotIn(hidden, done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 2 failed")


if __name__ == "__main__":
    unittest.main()
