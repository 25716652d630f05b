"""test_words.py - shell completion and the manual: generated from the parser's definitions, accepted
by real shells.
"""
import re
import shutil
import subprocess
import unittest

from flow import TOOL, Flow, main


def commands(flow):
    help_text = flow.umbel("--help").stdout.decode()
    return re.findall(r"^  ([a-z]+) {2,}", help_text.split("\nOptions:")[0], re.M)


class Words(Flow):
    def script(self, shell):
        done = self.umbel("completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return self.file(f"umbel.{shell}", done.stdout)

    def bash(self, *words):
        """What bash offers behind these words."""
        typed = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"source {self.script('bash')}; COMP_WORDS=({typed}); "
                               f"COMP_CWORD={len(words) - 1}; _umbel; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
                              capture_output=True, cwd=self.here, timeout=30)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()

    def test_bash(self):
        self.assertEqual(self.bash("umbel", "ver"), ["verify"])
        self.assertEqual(set(commands(self)) - set(self.bash("umbel", "")), set())
        self.assertEqual(self.bash("umbel", "build", "--kind", "golo"), ["golomb-coded-set"])
        self.assertEqual(self.bash("umbel", "build", "--bits"), ["--bits-per-key"])
        self.assertEqual(self.bash("umbel", "completion", "f"), ["fish"])
        self.file("keys.txt", b"a\n")
        self.assertEqual(self.bash("umbel", "query", "keys"), ["keys.txt"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        path = self.script("zsh")
        self.assertEqual(subprocess.run(["zsh", "-n", path], capture_output=True, timeout=30).stderr, b"")
        # Its own completion system, which takes long to start, takes every command's list of
        # options.
        asked = "".join(f"print {command}; words=(umbel {command} -); CURRENT=3; source {path}; print; "
                        for command in commands(self))
        done = subprocess.run(["zsh", "-f", "-c", "autoload -U compinit; compinit -u -D; "
                               f"_arguments() {{ print -rl -- \"$@\"; }}; {asked}"], capture_output=True, timeout=30)
        self.assertEqual(done.stderr, b"")
        offered = {said.split("\n")[0]: said for said in done.stdout.decode().split("\n\n")}
        for command in commands(self):
            self.assertIn("--help", offered[command])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        path = self.script("fish")

        def offered(typed):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C '{typed}'"],
                                  capture_output=True, cwd=self.here, timeout=30, env={"HOME": str(self.here)})
            self.assertEqual(done.stderr, b"")
            return [line.split("\t")[0] for line in done.stdout.decode().splitlines()]
        self.assertEqual(offered("umbel ver"), ["verify"])
        self.assertIn("golomb-coded-set", offered("umbel build --kind golo"))
        self.assertIn("--bits-per-key", offered("umbel build --bits"))

    def test_unknown_shell(self):
        self.assert_refused(self.umbel("completion", "fisch"), "SHELL", "did you mean fish")

    def test_the_manual_tells_of_everything(self):
        page = self.umbel("man").stdout.decode()
        for command in commands(self):
            self.assertIn(f"\n.SS {command}\n", page)
            options = re.findall(r"^  .*?(--[a-z0-9-]+)", self.umbel(command, "--help").stdout.decode(), re.M)
            for option in options:
                self.assertIn(option.replace("-", "\\-"), page)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_the_manual_is_good_roff(self):
        page = subprocess.run([TOOL, "man"], capture_output=True, timeout=30).stdout
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, capture_output=True, timeout=30)
        said = [line for line in lint.stdout.decode().splitlines() if "missing date" not in line]
        self.assertEqual(said, [])
        shown = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=78"], input=page, capture_output=True, timeout=30)
        self.assertIn("umbel - approximate sets", re.sub(r".\x08", "", shown.stdout.decode()))


if __name__ == "__main__":
    main()
