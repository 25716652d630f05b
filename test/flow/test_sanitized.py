"""test_sanitized.py - the tests of this folder that are left out where the tool is sanitized."""
import pathlib
import re

from flow import Flow, main

LEFT_OUT = {
    "test_an_allocation_that_fails_is_an_error",  # a sanitizer needs more address space
    "test_a_sparse_tebibyte",                     # its shadow memory counts as data
}


class Sanitized(Flow):
    def test_what_is_left_out_is_listed_here(self):
        found = set()
        for path in pathlib.Path(__file__).parent.glob("test_*.py"):
            found |= set(re.findall(r"@not_sanitized\(.*\)\n\s+def (\w+)", path.read_text()))
        self.assertEqual(found, LEFT_OUT)


main()
