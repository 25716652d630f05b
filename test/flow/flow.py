"""flow.py - what the tests beside it share: the real tool, a scratch folder, and word lists."""
import json
import mmap
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

TOOL = os.environ["UMBEL_TOOL"]
# A sanitizer's exit code is one that the tool never has: its own, 1, would pass for "nothing
# found".
REPORTED = 99
for _name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
    os.environ[_name] = f"{os.environ.get(_name, '')}:exitcode={REPORTED}"


def _sanitized():
    with open(TOOL, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as binary:
        return binary.find(b"__asan_") >= 0


SANITIZED = _sanitized()  # the tool was built with the address sanitizer
PATIENCE = 300 if SANITIZED else 60  # seconds for one run of the tool


def not_sanitized(reason):
    """For a test that cannot be under a sanitizer. test_sanitized.py lists all of them."""
    return unittest.skipIf(SANITIZED, reason)


def with_memory(size, limit=resource.RLIMIT_AS):
    """What subprocess.run needs so that the tool gets no more memory than this."""
    if not SANITIZED:
        return {"preexec_fn": lambda: resource.setrlimit(limit, (size, size))}
    # Its shadow memory takes terabytes of addresses. So the sanitizer watches what is resident, and
    # ends a tool that takes more, or asks for a terabyte at once, with the exit code REPORTED.
    watch = f"{os.environ['ASAN_OPTIONS']}:hard_rss_limit_mb={size >> 20}"
    return {"env": {**os.environ, "ASAN_OPTIONS": watch}}


SETS = ["bloom-filter", "banked-bloom-filter", "two-choice-bloom-filter", "best-of-bloom-filter",
        "selected-bloom-filter", "weighted-bloom-filter", "split-block-bloom-filter", "parquet-filter",
        "blocked-bloom-filter", "two-line-bloom-filter", "multiblock-bloom-filter", "register-bloom-filter",
        "pattern-bloom-filter", "hash-compaction-filter", "scalable-bloom-filter", "taffy-block-filter",
        "deletable-bloom-filter", "dynamic-bloom-filter", "split-bloom-filter", "removable-bloom-filter",
        "aging-bloom-filter", "golomb-coded-set", "hash-list-filter", "xor-filter", "binary-fuse-filter", "binary-fuse4-filter",
        "quotient-filter", "vector-quotient-filter", "expandable-filter", "cuckoo-filter", "taffy-cuckoo-filter",
        "prefix-filter", "adaptive-cuckoo-filter", "telescoping-filter",
        "sparse-filter", "ribbon-filter", "matrix-filter", "perfect-filter"]
FORGETFUL = ["generalized-bloom-filter", "retouched-bloom-filter", "variable-bloom-filter"]  # may answer no for a member
main = unittest.main


def lines(*words):
    """Each word ended by a line end, as bytes."""
    return b"".join((w if isinstance(w, bytes) else str(w).encode()) + b"\n" for w in words)


class Flow(unittest.TestCase):
    """A test with a scratch folder, `here`, which is also the tool's working folder."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="umbel-flow-")
        self.addCleanup(scratch.cleanup)
        self.here = pathlib.Path(scratch.name)

    def file(self, name, content):
        path = self.here / name
        path.write_bytes(content)
        return str(path)

    def umbel(self, *words, given=b"", **more):
        """Runs the tool; the result has returncode, stdout and stderr."""
        more.setdefault("input", given)
        if "stdin" in more:
            del more["input"]
        done = subprocess.run([TOOL, *map(str, words)], capture_output="stdout" not in more,
                              cwd=self.here, timeout=PATIENCE, **more)
        self.assertNotEqual(done.returncode, REPORTED, done.stderr and done.stderr.decode(errors="replace")[:8000])
        return done

    def made(self, keys, *words, name="set.umbel"):
        """The path of a filter built from `keys` (bytes); the build must succeed."""
        done = self.umbel("build", "-q", "-o", name, *words, given=keys)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return self.here / name

    def json(self, *words):
        done = self.umbel(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout)

    def kinds_that(self, **said):
        """Names of the kinds whose row of `umbel kinds` says so, such as family="map"."""
        return [row["kind"] for row in self.json("kinds", "--json") if said.items() <= row.items()]

    def assert_refused(self, done, *parts):
        """Exit 2, nothing on standard output, one short message that holds all the parts."""
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, 2, message)
        self.assertEqual(done.stdout or b"", b"")
        self.assertTrue(message.startswith("umbel: "), message)
        self.assertLessEqual(len(message.splitlines()), 2, message)
        for part in parts:
            self.assertIn(part, message)

    def assert_folder_holds(self, *names):
        self.assertEqual(sorted(p.name for p in self.here.iterdir()), sorted(names))
