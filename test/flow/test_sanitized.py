"""test_sanitized.py - which tests of this folder are left out for a sanitized tool, and why."""
import pathlib
import re

from flow import Flow, main

LEFT_OUT = {
    "test_an_allocation_that_fails_is_an_error": "a sanitizer ends a program whose allocation fails",
    "test_long_lines_take_the_memory_of_one_whatever_the_threads": "a sanitizer takes memory of its own",
    "test_maps_to_texts": "a sanitizer replaces what valgrind replaces",
    "test_every_kind": "a sanitizer replaces what valgrind replaces",
    "test_bench": "a sanitized tool does not measure",
    "test_bench_of_texts": "a sanitized tool does not measure",
    "test_bench_of_texts_for_people": "a sanitized tool does not measure",
    "test_bench_for_people_with_a_plot": "a sanitized tool does not measure",
    "test_a_plot_is_written_to_a_device": "a sanitized tool does not measure",
}
# Files that ask by other means whether the tool is sanitized.
IN_PART = {
    "test_compress.py",  # how much memory is taken: a sanitizer takes terabytes of addresses
    "test_readme.py",    # all commands of README.md but `umbel bench`
}


class Sanitized(Flow):
    def test_what_is_left_out_is_listed_here(self):
        found, in_part = {}, set()
        for path in pathlib.Path(__file__).parent.glob("test_*.py"):
            text = path.read_text()
            marked = re.findall(r'@not_sanitized\("(.*)"\)\n +def (\w+)', text)
            found.update((name, reason) for reason, name in marked)
            self.assertEqual(len(re.findall(r"(?m)^ *@not_sanitized", text)), len(marked), path)
            if re.search(r"\bSANITIZED\b|_asan_", text) and path.name != "test_sanitized.py":
                in_part.add(path.name)
        self.assertEqual(found, LEFT_OUT)
        self.assertEqual(in_part, IN_PART)


main()
