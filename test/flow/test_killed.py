"""test_killed.py - kill -9 at 500 random moments of a build, and full disks: the file is completely
the old one or the new one.
"""
import os
import random
import signal
import subprocess
import time

from flow import TOOL, Flow, lines, main

OLD, NEW = lines(*(f"old {i}" for i in range(1000))), lines(*(f"new {i}" for i in range(25_000)))


class Killed(Flow):
    def test_at_any_moment_of_a_build(self):
        old = self.made(OLD, name="old").read_bytes()
        self.file("list", NEW)
        started = time.monotonic()
        new = self.made(NEW, name="new").read_bytes()
        usual = time.monotonic() - started
        target, source = self.here / "set", random.Random(500)
        seen = {old: 0, new: 0}
        for round in range(500):
            target.write_bytes(old)
            build = subprocess.Popen([TOOL, "build", "-q", "list", "-o", "set"], cwd=self.here, stderr=subprocess.DEVNULL)
            time.sleep(source.uniform(0, 1.3 * usual))
            build.send_signal(signal.SIGKILL)
            build.wait()
            now = target.read_bytes()
            self.assertIn(now, seen, f"torn in round {round}: {len(now)} bytes")
            seen[now] += 1
            for path in self.here.iterdir():  # what a killed build leaves is named after its target, and in nobody's way
                if path.name not in ("old", "new", "list", "set"):
                    self.assertTrue(path.name.startswith("set.umbel-"), path)
                    path.unlink()
        self.assertGreater(seen[old], 50)  # else no kill came in time, and nothing was tested
        self.assertEqual(self.umbel("query", "-c", "set", given=OLD if now == old else NEW).returncode, 0)

    def test_interrupts_leave_nothing_behind(self):
        self.file("list", NEW)
        for number in (signal.SIGINT, signal.SIGTERM):
            for pause in (0.0, 0.01, 0.03):
                build = subprocess.Popen([TOOL, "build", "-q", "list", "-o", "set"], cwd=self.here, stderr=subprocess.DEVNULL)
                time.sleep(pause)
                build.send_signal(number)
                build.wait()
                (self.here / "set").unlink(missing_ok=True)
                self.assert_folder_holds("list")


class FullDisk(Flow):
    """On a disk of 256 KiB of its own, which needs the right to mount one."""

    def setUp(self):
        super().setUp()
        self.disk = self.here / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", self.disk], capture_output=True)
        if mounted.returncode != 0:
            print("skipped: mounting a small disk needs root", flush=True)
            self.skipTest("mounting needs root")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)

    def test_every_command_that_writes_says_so_and_leaves_the_old_file(self):
        small = self.made(OLD, "--kind", "bloom-filter", "--keys", "2M", "--fpr", "1%", name="large")  # 2.3 MiB
        self.made(OLD, "--kind", "bloom-filter", "--scheme", "dcso", "--keys", "2M", "--fpr", "1%", name="dcso")
        self.made(OLD, name="disk/old")
        before = (self.disk / "old").read_bytes()
        self.file("list", NEW)
        for words in [["build", "--kind", "bloom-filter", "--keys", "1M", "list"], ["merge", small, small], ["intersect", small, small],
                      ["convert", "dcso", "--to", "dcso"], ["add", small, "list"]]:
            self.assert_refused(self.umbel(*words, "-o", "disk/old"), "disk/old", "No space left")
            self.assertEqual((self.disk / "old").read_bytes(), before)
            self.assertEqual(os.listdir(self.disk), ["old"])


main()
