"""test_memcheck.py - valgrind finds no use of uninitialised memory, and no read past an end, in a query.

Kernels with vectors and without. Every kind with UMBEL_LONG=1; else those in which it found something.
That report came from code that g++ makes at -O3 only (map/named_map.hpp): `make test-long` builds the
tool so, `make test` with -O1.
"""
import os
import subprocess
import unittest

from flow import TOOL, Flow, main, not_sanitized

LONG = "UMBEL_LONG" in os.environ
MADE_BY_PROGRAMS = {"meta-map"}
WORDS = [f"key{i}" for i in range(2000)]
ASKED = "".join(f"{word}\n" for word in WORDS[:300] + [f"other{i}" for i in range(300)]).encode()


class Memcheck(Flow):
    def checked(self, *words):
        for kernels in ["", "portable"]:
            done = subprocess.run(["valgrind", "-q", "--error-exitcode=99", TOOL, *words], cwd=self.here, input=ASKED,
                                  capture_output=True, timeout=120, env={**os.environ, "UMBEL_KERNELS": kernels})
            self.assertEqual((done.returncode, done.stderr.decode()[-2000:]), (0, ""), (words, kernels))

    def table(self, values):
        return "".join(f"{word}\t{values[i % len(values)]}\n" for i, word in enumerate(WORDS)).encode()

    @not_sanitized("a sanitizer replaces what valgrind replaces")
    def test_maps_to_texts(self):
        for kind in set(self.kinds_that(family="map")) - MADE_BY_PROGRAMS if LONG else ["cascade-map"]:
            made = self.umbel("build", "-q", "--map", "-k", kind, "-o", kind, given=self.table(["ant", "bee", "cat"]))
            self.assertEqual((made.returncode, made.stderr), (0, b""), kind)
            self.checked("get", kind)

    @unittest.skipUnless(LONG, "takes minutes: only with UMBEL_LONG=1")
    @not_sanitized("a sanitizer replaces what valgrind replaces")
    def test_every_kind(self):
        for row in self.json("kinds", "--json"):
            if row["kind"] in MADE_BY_PROGRAMS:
                continue
            kind, is_map = row["kind"], row["family"] == "map"
            words = ["build", "-q", "-k", kind, "-o", kind]
            given = "".join(f"{word}\n" for word in WORDS).encode()
            if is_map:
                words, given = words + ["--map"], self.table([0, 1, 2, 3])
            elif row["exact"]:
                words += ["--exact", "--universe", self.file("all", given + ASKED)]
            made = self.umbel(*words, given=given)
            self.assertEqual((made.returncode, made.stderr), (0, b""), kind)
            self.checked("query" if row["output"] == "boolean" else "get", kind)


main()
