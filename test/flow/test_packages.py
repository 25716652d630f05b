"""test_packages.py - a real table, Debian's package index: package name to section, as a map."""
import glob
import subprocess

from flow import Flow, main

LISTS, HELPER = "/var/lib/apt/lists/*_Packages*", "/usr/lib/apt/apt-helper"


def sections():
    """Package name to section, from the lists apt has, in whatever compression it keeps them."""
    out = {}
    for path in sorted(glob.glob(LISTS)):
        text = subprocess.run([HELPER, "cat-file", path], capture_output=True, check=True, timeout=60).stdout
        name = None
        for line in text.split(b"\n"):
            if line.startswith(b"Package: "):
                name = line[9:]
            elif line.startswith(b"Section: "):
                out.setdefault(name, line[9:])  # a package in two lists: one section will do
    return out


class Packages(Flow):
    def test_the_whole_index_comes_back(self):
        try:
            table = sections()
        except (OSError, subprocess.SubprocessError) as reason:
            table, why = {}, str(reason)
        else:
            why = f"no package lists under {LISTS}; `apt-get update` fetches them"
        if len(table) < 10_000:
            print("skipped:", why if not table else f"only {len(table)} packages are listed", flush=True)
            self.skipTest(why)
        rows = b"".join(b"%b\t%b\n" % row for row in table.items())
        names = b"".join(name + b"\n" for name in table)
        path = self.made(rows, "--map", "--fpr", "1 in 256")
        self.assertEqual(self.umbel("get", path, given=names).stdout, rows)
        self.assertEqual(self.umbel("get", "--mmap", path, given=names).stdout, rows)
        self.assertLess(path.stat().st_size * 8 / len(table), 13.5)  # entropy 4.89, and 8 bits of check
        self.assertEqual(len(set(table.values())), self.json("build", "-q", "--json", "--map", "-o", "again",
                                                             self.file("rows", rows))["texts"])
        non_members = b"".join(b"%b (not a package)\n" % name for name in table)
        passed, expected = int(self.umbel("get", "-c", path, given=non_members).stdout), len(table) / 256
        self.assertLess(passed, expected + 5 * expected ** 0.5)


main()
