"""test_survey.py - Table II of the survey, as printed there, beside what our kinds say of themselves.

Every difference is listed by the tool with its reason, and here; a kind that begins or ceases to differ fails.
"""
from flow import Flow, lines, main

# Row, C D P FN (counting, deletion, popularity, false negatives; M is maybe), output.
TABLE = """
Standard                   | N N N N | Boolean
Adaptive                   | Y N N N | Boolean
Bloomier                   | Y N N N | frequency, f(x)
Compressed                 | N N N N | Boolean
Counting                   | Y Y N M | Boolean or frequency
Decaying                   | Y Y N N | Boolean
Deletable                  | N Y N N | Boolean
Distance-sensitive         | N N N Y | Boolean
Dynamic                    | Y Y N N | Boolean
Filter bank                | Y Y M N | x, set, frequency
Generalized                | N N N Y | Boolean
Hierarchical               | N N N N | Boolean
Memory-optimized           | N N N N | Boolean
Popularity-conscious       | N N Y N | Boolean
Retouched                  | N N N Y | Boolean
Scalable                   | N N N N | Boolean
Secure                     | N N N N | Boolean
Space-code                 | Y N M N | frequency
Spectral                   | Y Y N M | frequency
Split                      | N N N N | Boolean
Stable                     | N Y N Y | Boolean
Variable-length signatures | Y Y Y Y | Boolean
Weighted                   | N N Y N | Boolean
"""
DIFFERS = {"Bloomier", "Variable-length signatures"}
HAS_NO_KIND = {"Adaptive", "Compressed", "Counting", "Decaying", "Distance-sensitive", "Filter bank", "Hierarchical",
               "Memory-optimized", "Secure", "Space-code", "Spectral", "Stable"}


class Survey(Flow):
    def test_every_row_is_there_and_every_difference_has_a_reason(self):
        ours = {row["survey"]: row for row in self.json("kinds", "--survey", "--json")}
        printed = [[part.strip() for part in line.split("|")] for line in TABLE.strip().splitlines()]
        self.assertEqual([name for name, _, _ in printed], list(ours))
        known = {row["kind"]: row for row in self.json("kinds", "--json")}
        for name, letters, output in printed:
            row = ours[name]
            self.assertEqual((row["says"], row["output"]), (letters, output))
            if name in HAS_NO_KIND:
                self.assertEqual((row["kind"], row["is"]), (None, None), name)
                self.assertTrue(row["why"], name)
                continue
            what = known[row["kind"]]
            computed = [what["counts"], what["erases"] or what["windowed"], what["popularity_aware"], what["false_negatives"]]
            self.assertEqual(row["is"], " ".join("NY"[has] for has in computed), name)
            same = row["is"] == letters and (row["answers"] == "boolean") == (output == "Boolean")
            self.assertEqual(same, name not in DIFFERS, name)
            self.assertEqual(same, row["why"] is None, name)

    def test_a_secure_filter_is_more_than_a_keyed_hash(self):
        # The survey's secure filters hide equal keys of different filters from each other, too.
        # Ours do not: the same keys under one secret key give the same bits.
        secret = self.file("secret", b"00112233445566778899aabbccddeeff")
        one, other = (self.made(lines("ant", "bee"), "-k", "bloom-filter", "--key-file", secret, name=name)
                      for name in ["one.umbel", "other.umbel"])
        self.assertEqual(one.read_bytes(), other.read_bytes())
        secure = next(row for row in self.json("kinds", "--survey", "--json") if row["survey"] == "Secure")
        self.assertIsNone(secure["kind"])
        self.assertIn("compared", secure["why"])

    def test_the_table_shows_them_all(self):
        shown = self.umbel("kinds", "--survey").stdout.decode()
        for line in TABLE.strip().splitlines():
            self.assertIn("\n" + line.split("|")[0].strip(), "\n" + shown)


main()
