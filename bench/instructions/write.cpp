// write.cpp - the structures whose queries are counted: one of every kind, and of some kinds more.
//
//     instructions_write FOLDER     builds them and saves them, and lists them in FOLDER/rows
//
// Compiled as the rest of the build is: it is not counted (count.cpp is).
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/core/spool.hpp>

#include "keys.hpp"

namespace umbel::instructions {
namespace {

struct row {
  std::string label;
  const any::kind* kind;
  any::options options{};
  // What its file must say, where the label or a bar depends on what follows from the options.
  std::vector<std::pair<std::string_view, any::field_value>> expected{};
};

// Of a kind that takes a rate: tags of 8 bits; of one that grows: 12 bits per key.
any::options usual(const any::kind& kind) {
  any::options out;
  const umbel::traits& traits = kind.traits();
  if (traits.answers == output::value)
    out.value_bits = traits.max_value_bits < 8 ? traits.max_value_bits : 8;
  if (kind.name() == "ribbon-filter") out.preset = "fast";
  if (kind.name() == "perfect-hash") out.preset = "balanced";
  if (!traits.rated()) return out;
  if (traits.is_static) {
    out.fpr = 1.0 / 256;
    return out;
  }
  out.keys = stored;
  out.bits = 12 * stored;
  try {
    (void)kind.plan(out);
  } catch (const bad_parameter&) {  // its size follows from its rate
    out.bits.reset();
    out.fpr = 0.005;
  }
  return out;
}

std::vector<row> rows() {
  std::vector<row> out;
  for (const any::kind* kind : any::kinds())
    out.push_back({std::string(kind->name()), kind, usual(*kind)});
  const auto width = [](std::uint64_t bits) {
    return std::pair<std::string_view, any::field_value>{"width", bits};
  };
  for (row& r : out) {
    if (r.label == "bloom-filter") r.expected = {{"probes", std::uint64_t{8}}};
    if (r.label == "vector-quotient-filter") r.expected = {{"tag_bits", std::uint64_t{8}}};
    if (r.label == "binary-fuse-filter" || r.label == "binary-fuse4-filter" ||
        r.label == "xor-filter" || r.label == "ribbon-filter")
      r.expected = {width(8)};
  }
  const auto add =
      [&](std::string_view kind, std::string_view suffix, auto&& change, std::uint64_t bits) {
    const any::kind& of = any::kind_named(kind);
    row more{std::string(kind) + ", " + std::string(suffix), &of, usual(of), {width(bits)}};
    change(more.options);
    out.push_back(std::move(more));
  };
  const auto rate = [](double fpr) {
    return [fpr](any::options& o) { o.bits.reset(), o.fpr = fpr; };
  };
  add("binary-fuse-filter", "12-bit tags", rate(1.0 / 4096), 12);
  add("binary-fuse-filter", "16-bit tags", rate(1.0 / 65536), 16);
  // Cells of a byte, as the filter has them; the row of the map itself has 8-bit values and 8 bits
  // of check.
  add(
      "binary-fuse-map", "no check", [](any::options& o) { o.fpr.reset(); }, 8);
  // Of an even tag the other bucket is found by another path than of an odd one.
  add("cuckoo-filter", "12-bit tags", rate(0.002), 12);
  add("cuckoo-filter", "13-bit tags", rate(0.001), 13);
  return out;
}

void require_fields(const row& r, const any::structure& built) {
  const auto fields = built.fields();
  for (const auto& [name, value] : r.expected) {
    bool found = false;
    for (const auto& [of, is] : fields) found = found || (of == name && is == value);
    if (!found)
      throw std::logic_error(r.label + ": its field " + std::string(name) +
                             " is not what its label says");
  }
}

// Under the hash that the kind fixes, where it fixes one.
std::unique_ptr<any::structure> built(const row& r) {
  const hasher hash = r.kind->hash();
  const umbel::traits& traits = r.kind->traits();
  digest_spool in;
  const auto given = members(stored);
  for (const std::uint64_t k : given) in.add(hash(k));
  if (traits.exact) {
    digest_spool universe;
    for (const std::uint64_t k : others(stored)) universe.add(hash(k));
    return r.kind->build(in, universe, r.options);
  }
  if (traits.of != family::map) return r.kind->build(in, r.options);
  pair_spool pairs;
  const std::uint64_t largest = detail::low_mask(r.options.value_bits.value_or(8));
  for (const std::uint64_t k : given) pairs.add(core::valued{hash(k), k & largest});
  return r.kind->build(pairs, r.options);
}

void write(const std::string& folder) {
  std::ofstream list(folder + "/rows");
  std::size_t number = 0;
  for (const row& r : rows()) {
    const auto made = built(r);
    require_fields(r, *made);
    const std::string name = std::to_string(number++);
    made->save(folder + "/" + name + ".umbel");
    // An exact set knows the others: they are in its universe.
    const double fpr = r.kind->traits().exact ? 0 : made->expected_fpr();
    list << name << ' ' << fpr << ' ' << r.kind->name() << ' ' << r.label << '\n';
  }
  if (!list.flush()) throw std::runtime_error(folder + "/rows: cannot be written");
}

}  // namespace
}  // namespace umbel::instructions

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: instructions_write FOLDER\n");
    return 2;
  }
  try {
    umbel::instructions::write(words[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "instructions_write: %s\n", e.what());
    return 2;
  }
  return 0;
}
