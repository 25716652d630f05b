"""test_streams.py - pipes, slow producers, readers that exit early, and signals."""
import contextlib
import os
import select
import signal
import subprocess
import threading
import time

from flow import TOOL, Flow, lines, main

BIRDS = lines("wren", "robin", "heron", "kite")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would the tool


class Streams(Flow):
    def start(self, *words, **more):
        process = subprocess.Popen([TOOL, *map(str, words)], cwd=self.here, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_a_slow_producer_sees_every_answer_at_once(self):
        path = self.made(BIRDS, "--fpr", "2^-30")
        process = self.start("query", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

        def answer(given):
            process.stdin.write(given)
            ready, _, _ = select.select([process.stdout], [], [], 5)
            return os.read(process.stdout.fileno(), 1000) if ready else None

        self.assertEqual(answer(b"kite\n"), b"kite\n")
        self.assertEqual(answer(b"stone\nwren\nro"), b"wren\n")  # and half a line
        self.assertEqual(answer(b"bin\n"), b"robin\n")
        process.stdin.close()
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()

    def test_much_through_small_pieces(self):
        path = self.made(lines(*range(0, 100_000, 2)), "--fpr", "2^-40")
        process = self.start("query", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        given, step = lines(*range(100_000)), 4099  # pieces that end inside lines

        def feed():
            for at in range(0, len(given), step):
                process.stdin.write(given[at:at + step])
                process.stdin.flush()
            process.stdin.close()

        feeder = threading.Thread(target=feed)
        feeder.start()
        self.assertEqual(process.stdout.read(), lines(*range(0, 100_000, 2)))
        feeder.join()
        process.stdout.close()

    def test_quiet_stops_at_the_first_hit(self):
        path = self.made(BIRDS, "--fpr", "2^-30")
        process = self.start("query", "-q", path, stdin=subprocess.PIPE)
        process.stdin.write(b"kite\n")
        process.stdin.flush()
        self.assertEqual(process.wait(10), 0)  # although the input goes on
        process.stdin.close()

    def test_an_error_is_told_although_the_input_goes_on(self):
        path = self.made(lines(1, 2), "--key-type", "u64", "--fpr", "2^-30")
        process = self.start("query", "--threads", "4", "--key-type", "u64", path, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        process.stdin.write(b"1\n2\n")
        self.assertEqual(os.read(process.stdout.fileno(), 100), b"1\n2\n")
        process.stdin.write(b"three\n")
        self.assertEqual(process.wait(10), 2)
        self.assertIn(b"standard input:3", process.stderr.read())
        for pipe in [process.stdin, process.stdout, process.stderr]:
            pipe.close()

    def watched(self, *words, seconds):
        """What a terminal shows of a command whose input takes so long, on standard error alone."""
        master, terminal = os.openpty()
        process = self.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            process.stdin.write(b"some more\n")
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
        process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(10), 0)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody is left
            while True:
                shown += os.read(master, 4096)
        os.close(master)
        return shown

    def test_progress_is_for_people_who_wait(self):
        path = self.made(lines("some more"))
        shown = self.watched("query", path, seconds=2)
        self.assertRegex(shown, rb"\r[0-9,]+ keys, [0-9.]+ million per second\x1b\[K")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)              # and is wiped away
        self.assertEqual(self.watched("query", path, seconds=0.3), b"")   # not for what is soon done
        self.assertEqual(self.watched("build", "-q", seconds=1.6), b"")   # nor for whoever wants quiet
        self.assertIn(b"keys, ", self.watched("build", seconds=1.6))

    def test_threads_keep_the_order(self):
        path = self.made(lines(*range(0, 300_000, 3)), "--fpr", "2^-40")
        given = lines(*range(300_000))
        for threads in [1, 2, 7]:
            self.assertEqual(self.umbel("query", "--threads", threads, path, given=given).stdout,
                             lines(*range(0, 300_000, 3)))
        # Of an input that turns bad, what comes before the bad line is answered, whoever reads it.
        numbers = self.made(given, "--key-type", "u64", name="numbers")
        bad = self.file("bad", given + b"word\n" + given)
        for threads in [1, 3]:
            done = self.umbel("query", "--threads", threads, "--key-type", "u64", numbers, bad)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"bad:300001", done.stderr)
            self.assertTrue(given.startswith(done.stdout) and len(done.stdout) > len(given) - 600_000)

    def test_a_reader_that_goes_away_ends_it_silently(self):
        path = self.made(BIRDS)
        process = self.start("query", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        with self.assertRaises(BrokenPipeError):
            process.stdin.write(BIRDS * 100_000)
        with contextlib.suppress(BrokenPipeError):  # closing flushes, once more in vain
            process.stdin.close()
        self.assertEqual(process.wait(10), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_fifos_are_inputs(self):
        os.mkfifo(self.here / "fifo")
        feeder = threading.Thread(daemon=True, target=lambda: (self.here / "fifo").write_bytes(BIRDS))
        feeder.start()
        path = self.made(b"", "fifo")
        feeder.join()
        self.assertEqual(self.umbel("query", path, given=BIRDS).stdout, BIRDS)

    def test_interrupted_while_reading_it_leaves_nothing(self):
        process = self.start("build", "-qo", "x", "--memory", "1M", stdin=subprocess.PIPE,
                             env={**os.environ, "TMPDIR": str(self.here)})
        process.stdin.write(lines(*range(200_000)))  # enough to need the temporary file
        process.stdin.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), -signal.SIGINT)
        process.stdin.close()
        self.assert_folder_holds()

    def test_interrupted_at_any_moment_it_leaves_nothing_or_all(self):
        keys = self.file("keys", lines(*range(200_000)))
        words = ["build", "-qo", "x", "--kind", "bloom-filter", "--bits-per-key", 100, keys]
        started = time.monotonic()
        self.start(*words).wait()
        whole, took = (self.here / "x").read_bytes(), time.monotonic() - started
        for i in range(25):
            (self.here / "x").unlink(missing_ok=True)
            process = self.start(*words)
            time.sleep(took * i / 20)
            process.send_signal(signal.SIGINT if i % 2 else signal.SIGTERM)
            process.wait(10)
            if (self.here / "x").exists():
                self.assertEqual((self.here / "x").read_bytes(), whole)
                self.assert_folder_holds("keys", "x")
            else:
                self.assert_folder_holds("keys")

    def test_an_old_filter_stays_until_the_new_one_is_whole(self):
        path = self.made(BIRDS, "--fpr", "2^-30")
        before = path.read_bytes()
        process = self.start("build", "-qo", path, stdin=subprocess.PIPE)
        process.stdin.write(b"stone\n")
        process.stdin.flush()
        time.sleep(0.1)
        self.assertEqual(path.read_bytes(), before)
        process.kill()
        process.wait()
        process.stdin.close()
        self.assertEqual(path.read_bytes(), before)
        self.assert_folder_holds("set.umbel")

    def test_notes_only_on_a_terminal(self):
        done = self.umbel("build", "--kind", "bloom-filter", "-o", "x", given=BIRDS)
        self.assertEqual(done.stderr, b"")
        report = self.umbel("build", "-v", "--kind", "bloom-filter", "-o", "x", given=BIRDS).stderr.decode()
        for part in ["bloom-filter", "4 keys", "bits per key", "1 in ", " s"]:
            self.assertIn(part, report)
        ours, theirs = os.openpty()  # a terminal of our own
        self.umbel("build", "--kind", "bloom-filter", "-o", "x", given=BIRDS, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        self.assertIn(b"4 keys", os.read(ours, 1000))
        os.close(ours)

    def test_no_filter_is_poured_into_a_terminal(self):
        ours, theirs = os.openpty()
        done = subprocess.run([TOOL, "build"], input=BIRDS, stdout=theirs, stderr=subprocess.PIPE, timeout=60)
        self.assert_refused(done, "-o FILE")
        os.close(theirs)
        os.close(ours)


main()
