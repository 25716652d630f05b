"""test_readme_bench.py - README.md and doc/benchmarks.md show the measurements that bench/results holds."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("UMBEL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
TOOL = SOURCE / "tools" / "readme_bench.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOL.parent))
import readme_bench  # noqa: E402


def rows_of(page):
    """Cells of the rows of the table between the two marker lines, without its head."""
    block = (SOURCE / page).read_text().partition(readme_bench.BEGIN)[2].partition(readme_bench.END)[0]
    lines = [line for line in block.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


class ReadmeBench(unittest.TestCase):
    def test_pages_and_plots_follow_from_the_stored_results(self):
        done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_readme_has_ten_rows_and_the_chosen_kinds(self):
        self.assertEqual([row[0] for row in rows_of("README.md")], readme_bench.CHOSEN)
        self.assertEqual(len(readme_bench.CHOSEN), 10)

    def test_every_row_of_the_readme_is_on_the_page_of_all(self):
        everything = [" ".join(row) for row in rows_of("doc/benchmarks.md")]
        for kind, bits, rate, *_ in rows_of("README.md"):
            self.assertTrue(any(f"{kind} {bits} {rate}" in row for row in everything), kind)

    def test_a_kind_without_a_rate_shows_none(self):
        rates = {row[1]: row[3] for row in rows_of("doc/benchmarks.md")}
        self.assertEqual(rates["perfect-hash"], "-")
        self.assertRegex(rates["bloom-filter"], r"^[0-9.]+ %$")

    def test_the_readme_is_short(self):
        self.assertLessEqual(len((SOURCE / "README.md").read_text().splitlines()), 180)

    def test_a_stale_page_is_noticed_and_renewed(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for part in ["bench/results", "doc/plot"]:
                shutil.copytree(SOURCE / part, copy / part)
            for page in ["README.md", "doc/benchmarks.md"]:
                shutil.copy(SOURCE / page, copy / page)
            (copy / "tools").mkdir()
            tool = shutil.copy(TOOL, copy / "tools")
            right = (copy / "README.md").read_text()
            (copy / "README.md").write_text(right.replace("| bloom-filter |", "| bloom-filter | 1"))
            check = [sys.executable, tool, "--check"]
            done = subprocess.run(check, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("README.md: differs", done.stderr)
            subprocess.run([sys.executable, tool], check=True)
            self.assertEqual((copy / "README.md").read_text(), right)
            subprocess.run(check, check=True)


if __name__ == "__main__":
    unittest.main()
