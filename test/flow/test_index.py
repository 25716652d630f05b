"""test_index.py - builds a perfect hash from a list: every line gets its own number."""
from flow import Flow, lines, main


class Indices(Flow):
    def test_every_line_has_a_number_of_its_own(self):
        self.assertEqual(self.kinds_that(output="index"), ["perfect-hash"])
        keys = lines(*(f"key {i}" for i in range(3000)))
        for preset in ["fast", "balanced", "compact", "levels", "smallest", "coded", "peeled", "tree", "solved"]:
            with self.subTest(preset):
                path = self.made(keys, "--kind", "perfect-hash", "--preset", preset)
                for how in [[], ["--mmap"]]:
                    done = self.umbel("get", *how, path, given=keys)
                    self.assertEqual(done.returncode, 0)
                    pairs = [line.split(b"\t") for line in done.stdout.splitlines()]
                    self.assertEqual(lines(*(key for key, _ in pairs)), keys)
                    self.assertEqual({int(number) for _, number in pairs}, set(range(3000)))

    def test_it_has_no_rate_and_knows_no_non_members(self):
        keys = lines("wren", "kite")
        for words in [["--fpr", "1%"], ["--bits-per-key", "8"]]:
            done = self.umbel("build", "--kind", "perfect-hash", *words, "-o", "x", given=keys)
            self.assertEqual(done.returncode, 2, done.stderr)
        path = self.made(keys, "--kind", "perfect-hash")
        done = self.umbel("query", path, given=keys)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"umbel get", done.stderr)
        self.assertEqual(self.umbel("get", path, "stone").returncode, 0)


main()
