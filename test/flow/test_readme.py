"""test_readme.py - the minute of README.md: every line runs as it stands, in an empty folder."""
import os
import pathlib
import re
import subprocess

from flow import SANITIZED, TOOL, Flow, main

README = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"]) / "README.md"
SECTION = "## The tool in one minute\n"


def session():
    """Pairs of a command and the output shown below it, which is None where none is shown."""
    text = README.read_text().split(SECTION)[1].split("\n## ")[0]
    out = []
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if language == "sh":
                out.append([line, None])
            elif line.startswith("$ "):
                out.append([line[2:], ""])
            else:
                out[-1][1] += line + "\n"
    return out


class Readme(Flow):
    def test_every_line_runs_as_written(self):
        told = session()
        self.assertGreaterEqual(len(told), 30)
        self.assertGreaterEqual(sum(1 for _, shown in told if shown), 4)
        tools = self.here / "bin"
        tools.mkdir()
        (tools / "umbel").symlink_to(TOOL)
        folder = self.here / "empty"
        folder.mkdir()
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C"}
        for command, shown in told:
            if SANITIZED and "umbel bench" in command:
                continue  # such a build measures nothing
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                  env=environment, capture_output=True, timeout=100,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, (command, done.stderr.decode(errors="replace")))
            if shown is not None:
                self.assertEqual((done.stdout.decode(), done.stderr), (shown, b""), command)

    def test_every_command_of_the_tool_is_there_or_on_its_page(self):
        page = (README.parent / "doc/guide/tool.md").read_text()
        page += " ".join(command for command, _ in session())
        listed = re.findall(r"^  ([a-z]+)  ", self.umbel("--help").stdout.decode(), re.M)
        self.assertGreater(len(listed), 15)
        for name in listed:
            self.assertIn(name, page)


main()
