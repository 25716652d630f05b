"""test_compress.py - compressed sets: smaller, restored byte for byte, and deltas that apply only to
the file they were made from.
"""
import gzip
import resource

from flow import SANITIZED, Flow, lines, main


def limited(bytes_):
    """For a process that may take no more memory. A sanitizer takes terabytes of addresses."""
    if not SANITIZED:
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def numbers(some):
    return lines(*(f"key {i}" for i in some))


class Compress(Flow):
    def setUp(self):
        super().setUp()
        # Room for ten times as many keys: a twentieth of the bits is set, which takes 0.29 of them
        # to tell.
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

    def test_what_unpacks_to_something_else_is_not_read_to_its_end(self):
        bomb = gzip.compress(bytes(400 << 20), 1)
        self.file("bomb", bomb)
        for words in [["compress", "bomb"], ["compress", "before", "--since", "bomb"], ["decompress", "bomb"],
                      ["decompress", "bomb", "--onto", "before"], ["convert", "bomb"],
                      ["convert", "bomb", "--from", "dcso"], ["compress", "-"], ["convert", "-"]]:
            done = self.umbel(*words, "-o", "out", given=bomb, preexec_fn=limited(300 << 20))
            self.assert_refused(done, "standard input: " if "-" in words else "bomb: ")
        # One that begins as it should is read up to what it may become.
        message = self.done("compress", "before")
        self.file("long", gzip.compress(message + bytes(400 << 20), 1))
        done = self.umbel("decompress", "long", "--max-size", "32M", "-o", "out", preexec_fn=limited(300 << 20))
        self.assert_refused(done, "long: ", "larger than 33.0 MiB", "--max-size")
        self.file("packed", gzip.compress(message))
        self.assertEqual(self.done("decompress", "packed"), self.before)
        self.file("packed", gzip.compress(self.before))
        self.assertEqual(self.done("compress", "packed"), message)
        self.assertFalse((self.here / "out").exists())

    def test_what_is_refused(self):
        message = self.done("compress", "before")
        self.file("message", message)
        self.file("cut", message[:-1])
        self.assert_refused(self.umbel("decompress", "cut", "-o", "out"), "cut")
        self.assert_refused(self.umbel("decompress", "before", "-o", "out"), "before")
        self.assert_refused(self.umbel("decompress", "message", "--max-size", "1k", "-o", "out"), "message: ",
                            "at most 1024 were allowed", "--max-size")
        self.assert_refused(self.umbel("compress", "message", "-o", "out"), "message")
        self.assert_refused(self.umbel("compress", "missing", "-o", "out"), "missing")
        self.assertFalse((self.here / "out").exists())


main()
