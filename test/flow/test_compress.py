"""test_compress.py - sets for the wire: smaller, whole again byte for byte, and changes only onto the file they were made from."""
from flow import Flow, lines, main


def numbers(some):
    return lines(*(f"key {i}" for i in some))


class Compress(Flow):
    def setUp(self):
        super().setUp()
        # Room for ten times as many keys: a twentieth of the bits is set, which takes 0.29 of them to tell.
        self.before = self.made(numbers(range(2000)), "--kind", "bloom-filter", "--keys", "20k", name="before").read_bytes()
        self.assertEqual(self.umbel("add", "before", "-q", "-o", "after", given=numbers(range(2000, 2100))).returncode, 0)
        self.after = (self.here / "after").read_bytes()

    def done(self, *words, given=b""):
        done = self.umbel(*words, given=given)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def test_smaller_and_whole_again(self):
        for words in [[], ["--rice"]]:
            message = self.done("compress", "before", *words)
            self.assertLess(len(message), 0.4 * len(self.before))
            self.assertEqual(self.done("decompress", "-", given=message), self.before)
            self.assertEqual(self.done("compress", "-", *words, given=self.before), message)
        self.done("compress", "before", "-o", "message")
        self.done("decompress", "message", "-o", "again")
        self.assertEqual((self.here / "again").read_bytes(), self.before)

    def test_only_what_changed(self):
        whole, change = self.done("compress", "after"), self.done("compress", "after", "--since", "before")
        self.assertLess(len(change), 0.3 * len(whole))
        self.assertEqual(self.done("decompress", "-", "--onto", "before", given=change), self.after)
        self.file("change", change)
        self.assert_refused(self.umbel("decompress", "change", "--onto", "after"), "change")  # made from another file
        self.assert_refused(self.umbel("decompress", "change"), "change")
        self.made(numbers(range(10)), "--kind", "bloom-filter", name="small")
        self.assert_refused(self.umbel("compress", "after", "--since", "small"), "after")

    def test_what_is_refused(self):
        message = self.done("compress", "before")
        self.file("message", message)
        self.file("cut", message[:-1])
        self.assert_refused(self.umbel("decompress", "cut", "-o", "out"), "cut")
        self.assert_refused(self.umbel("decompress", "before", "-o", "out"), "before")
        self.assert_refused(self.umbel("decompress", "message", "--most", "1k", "-o", "out"), "message")
        self.assert_refused(self.umbel("compress", "message", "-o", "out"), "message")
        self.assert_refused(self.umbel("compress", "missing", "-o", "out"), "missing")
        self.assertFalse((self.here / "out").exists())


main()
