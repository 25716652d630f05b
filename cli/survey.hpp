// survey.hpp - Table II of the survey [TRL12], row by row: the filter there, the kind here, and why
// they differ.
//
// Source     [TRL12] Table II: C counts, D deletes, P knows popularity, FN has false negatives; Y,
//            N or M for maybe.
#pragma once

#include <string_view>

#include <umbel/core/traits.hpp>

namespace umbel::cli {

struct survey_row {
  std::string_view name;
  std::string_view says;    // C D P FN, as printed
  std::string_view output;  // as printed
  std::string_view kind;    // empty: none
  std::string_view why;     // why our kind differs or does not exist
};

inline constexpr survey_row survey[] = {
    {"Standard", "NNNN", "Boolean", "bloom-filter", ""},
    {"Adaptive", "YNNN", "Boolean", "", "comes with the counts"},
    {"Bloomier", "YNNN", "frequency, f(x)", "bloomier-filter",
     "a value may be a count, but nothing counts it up"},
    {"Compressed", "NNNN", "Boolean", "",
     "a way to send any filter of bits, not a filter of its own: codec/compress.hpp"},
    {"Counting", "YYNM", "Boolean or frequency", "", "comes with the counts"},
    {"Decaying", "YYNN", "Boolean", "", "comes with the streams"},
    {"Deletable", "NYNN", "Boolean", "deletable-bloom-filter", ""},
    {"Distance-sensitive", "NNNY", "Boolean", "", "comes with approximate matching"},
    {"Dynamic", "YYNN", "Boolean", "dynamic-bloom-filter", ""},
    {"Filter bank", "YYMN", "x, set, frequency", "",
     "several filters, which bring their own columns: set/bank_filter.hpp"},
    {"Generalized", "NNNY", "Boolean", "generalized-bloom-filter", ""},
    {"Hierarchical", "NNNN", "Boolean", "", "comes with approximate matching"},
    {"Memory-optimized", "NNNN", "Boolean", "",
     "answers exactly, with the record: map/one_copy_map.hpp"},
    {"Popularity-conscious", "NNYN", "Boolean", "weighted-bloom-filter", ""},
    {"Retouched", "NNNY", "Boolean", "retouched-bloom-filter", ""},
    {"Scalable", "NNNN", "Boolean", "scalable-bloom-filter", ""},
    {"Secure", "NNNN", "Boolean", "",
     "a secret key hides which keys are in, but filters under one key can be compared with each "
     "other"},
    {"Space-code", "YNMN", "frequency", "", "comes with the counts"},
    {"Spectral", "YYNM", "frequency", "", "comes with the counts"},
    {"Split", "NNNN", "Boolean", "split-bloom-filter", ""},
    {"Stable", "NYNY", "Boolean", "", "comes with the streams"},
    {"Variable-length signatures", "YYYY", "Boolean", "variable-bloom-filter",
     "a signature's length says how strong a key is, not how often it came"},
    {"Weighted", "NNYN", "Boolean", "weighted-bloom-filter", ""},
};

// The same four letters from the traits of a kind. The survey counts expiry as deletion.
struct survey_letters {
  char of[4];
  explicit constexpr survey_letters(const umbel::traits& traits) noexcept
      : of{letter(traits.counts), letter(traits.erases || traits.windowed),
           letter(traits.popularity_aware), letter(traits.may_forget)} {}
  [[nodiscard]] constexpr std::string_view text() const noexcept { return {of, 4}; }

 private:
  static constexpr char letter(bool yes) noexcept { return yes ? 'Y' : 'N'; }
};

}  // namespace umbel::cli
