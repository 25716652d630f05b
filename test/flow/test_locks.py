"""test_locks.py - processes that change one file at once: no change is lost."""
import os
import random
import signal
import subprocess
import time

from flow import TOOL, Flow, lines, main

WRITERS = 20


def keys_of(writer, count=200):
    return lines(*(f"writer {writer} key {i}" for i in range(count)))


class Locks(Flow):
    def room(self, name, keys=b"", kind="bloom-filter"):
        return self.made(keys, "--kind", kind, "--keys", "20k", "--fpr", "1e-9", name=name)

    def start(self, *words, **more):
        process = subprocess.Popen([TOOL, *map(str, words)], cwd=self.here,
                                   stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def holder(self, *words):
        """A command that has the lock and waits for keys; `finish` gives it the last of them."""
        process = self.start(*words, stdin=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        lock = self.here / f"{words[1]}.umbel-lock"
        for _ in range(1000):
            if lock.exists() and lock.read_bytes():  # it has signed
                return process
            time.sleep(0.01)
        self.fail("the lock was never taken")

    def finish(self, process, keys=b""):
        process.stdin.write(keys)
        process.stdin.close()
        self.assertEqual(process.wait(60), 0, process.stderr.read())

    def all_end_well(self, processes):
        for process in processes:
            self.assertEqual(process.wait(100), 0, process.stderr.read())

    def assert_holds(self, path, keys):
        done = self.umbel("query", "-v", path, given=keys)
        self.assertEqual((done.stdout, done.returncode), (b"", 1), "keys were lost")

    def test_twenty_writers_at_once_lose_no_key(self):
        self.room("set")
        for w in range(WRITERS):
            self.file(f"list{w}", keys_of(w))
        self.all_end_well([self.start("add", "-q", "set", f"list{w}") for w in range(WRITERS)])
        self.assert_holds("set", b"".join(keys_of(w) for w in range(WRITERS)))
        self.assert_folder_holds("set", *(f"list{w}" for w in range(WRITERS)))

    def test_adds_and_erases(self):
        old = [keys_of(f"old {w}") for w in range(7)]
        new = [keys_of(f"new {w}") for w in range(13)]
        self.room("set", b"".join(old), kind="deletable-bloom-filter")
        for w, keys in enumerate(old):
            self.file(f"old{w}", keys)
        for w, keys in enumerate(new):
            self.file(f"new{w}", keys)
        work = [["add", "-q", "set", f"new{w}"] for w in range(13)]
        work += [["erase", "-q", "set", f"old{w}"] for w in range(7)]
        random.Random(2).shuffle(work)
        self.all_end_well([self.start(*words) for words in work])
        self.assert_holds("set", b"".join(new))
        left = sum(int(self.umbel("query", "-c", "set", given=keys).stdout or 0) for keys in old)
        # This kind cannot erase a key all of whose bits others share. A lost `erase` leaves 200.
        self.assertLess(left, 100)

    def test_merges_onto_an_input_and_adds(self):
        self.room("set")
        for w in range(10):
            self.room(f"part{w}", keys_of(f"part {w}"))
            self.file(f"list{w}", keys_of(f"list {w}"))
        os.symlink("set", self.here / "link")  # two names of one file share one lock
        names = ["set", "link", "./set"]
        work = [["merge", "-q", "set", f"part{w}", "-o", names[w % 3]] for w in range(10)]
        work += [["add", "-q", ["set", "link"][w % 2], f"list{w}"] for w in range(10)]
        random.Random(3).shuffle(work)
        self.all_end_well([self.start(*words) for words in work])
        for kind in ["part", "list"]:
            self.assert_holds("set", b"".join(keys_of(f"{kind} {w}") for w in range(10)))
        self.assertTrue((self.here / "link").is_symlink())

    def test_no_wait_says_who_is_busy(self):
        self.room("set")
        self.room("part", keys_of(1))
        self.room("after", keys_of(2))
        done = self.umbel("compress", "after", "--since", "set", "-o", "change")
        self.assertEqual(done.returncode, 0)
        os.symlink("set", self.here / "link")
        busy = self.holder("add", "set")
        for words in [["add", "set"], ["erase", "set"], ["add", "link"],
                      ["add", "part", "-o", "set"], ["merge", "set", "part", "-o", "set"],
                      ["intersect", "part", "part", "-o", "link"],
                      ["decompress", "change", "--onto", "set", "-o", "set"]]:
            before = (self.here / "set").read_bytes()
            done = self.umbel(*words, "--no-wait")
            # By the words it was started with, the first 200 bytes of them, whatever the tool is
            # called.
            command = f"{TOOL} add set"[:150]
            self.assert_refused(done, f"set is being changed by process {busy.pid} ({command}")
            self.assertEqual((self.here / "set").read_bytes(), before)
        # Readers need no lock.
        self.assertEqual(self.umbel("query", "set", given=b"x\n").returncode, 1)
        self.assertEqual(self.umbel("info", "set").returncode, 0)
        self.finish(busy, b"a key\n")
        self.assertEqual(self.umbel("add", "--no-wait", "set", given=keys_of(1)).returncode, 0)
        self.assert_holds("set", b"a key\n" + keys_of(1))

    def test_the_second_waits(self):
        self.room("set")
        first = self.holder("add", "set")
        second = self.start("add", "set", self.file("list", keys_of(2)))
        time.sleep(0.3)
        self.assertIsNone(second.poll())
        self.finish(first, keys_of(1))
        self.assertEqual(second.wait(60), 0)
        self.assert_holds("set", keys_of(1) + keys_of(2))

    def test_a_build_over_a_file_that_is_being_changed_comes_after_the_change(self):
        self.room("set", keys_of(0))
        first = self.holder("add", "set")
        build = self.start("build", "-q", "-o", "set", self.file("list", keys_of(2)))
        time.sleep(0.5)
        self.assertIsNone(build.poll())
        self.finish(first, keys_of(1))
        self.assertEqual(build.wait(60), 0)
        self.assert_holds("set", keys_of(2))  # not the old keys and those of `add` in their place
        self.assertEqual(self.json("info", "--json", "set")["kind"], "binary-fuse-filter")

    def test_a_killed_writer_does_not_block_the_next(self):
        self.room("set")
        victim = self.holder("add", "set")
        victim.kill()
        victim.wait()
        self.assertTrue((self.here / "set.umbel-lock").exists())  # nobody could remove it
        self.assertEqual(self.umbel("add", "--no-wait", "set", given=keys_of(1)).returncode, 0)
        self.assert_holds("set", keys_of(1))
        self.assert_folder_holds("set")

    def test_an_interrupted_writer_leaves_no_lock_file(self):
        self.room("set")
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            victim = self.holder("add", "set")
            victim.send_signal(number)
            self.assertEqual(victim.wait(60), -number)
            self.assert_folder_holds("set")

    def test_writers_killed_at_any_moment_lose_nothing_of_the_others(self):
        self.room("set")
        source, kept = random.Random(5), []
        for w in range(40):
            self.file("list", keys_of(w))
            process = self.start("add", "-q", "set", "list")
            if w % 2 == 0:
                time.sleep(source.uniform(0, 0.02))
                process.kill()
            if process.wait(60) == 0:
                kept.append(keys_of(w))
        self.assertGreaterEqual(len(kept), 20)
        self.assert_holds("set", b"".join(kept))

    def test_a_removed_lock_file_still_excludes(self):
        self.room("set")
        first = self.holder("add", "set")
        (self.here / "set.umbel-lock").unlink()
        done = self.umbel("add", "--no-wait", "set")
        self.assert_refused(done, "set is being changed by another process")
        second = self.start("add", "set", self.file("list", keys_of(2)))
        time.sleep(0.3)
        self.assertIsNone(second.poll())
        self.finish(first, keys_of(1))
        self.assertEqual(second.wait(60), 0)
        self.assert_holds("set", keys_of(1) + keys_of(2))
        self.assert_folder_holds("set", "list")

    def test_what_stands_in_the_place_of_a_lock_file_is_not_touched(self):
        self.room("set")
        precious = self.file("precious", b"do not truncate\n")
        for make in [os.symlink, os.link]:
            make(precious, self.here / "set.umbel-lock")
            self.assert_refused(self.umbel("add", "set", given=b"x\n"), "set.umbel-lock")
            self.assertEqual((self.here / "precious").read_bytes(), b"do not truncate\n")
            (self.here / "set.umbel-lock").unlink()
        os.mkfifo(self.here / "set.umbel-lock")
        self.assert_refused(self.umbel("add", "set", given=b"x\n"), "set.umbel-lock")


main()
