// main.cpp - how many instructions a single query takes, for every kind.
//
//     instructions write FOLDER     builds the structures and saves them, at full speed
//     instructions count FOLDER     loads and asks them; to be run under callgrind
//
// test/bench/test_instructions.py runs both and holds the counts to bench/instructions.json.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/core/spool.hpp>

#include "count.hpp"

namespace umbel::instructions {

#define UMBEL_KIND(folder, kind, summary) extern const counter kind##_counter;
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

namespace {

const counter* const counters[] = {
#define UMBEL_KIND(folder, kind, summary) &kind##_counter,
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
};

constexpr std::uint64_t stored = 10'000;  // in the cache: what is counted does not depend on it
constexpr std::uint64_t asked = 1'000;

std::vector<std::uint64_t> keys(std::uint64_t count, std::uint64_t first) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = detail::mix64(first + i);
  return out;
}
std::vector<std::uint64_t> members() { return keys(stored, 1); }
std::vector<std::uint64_t> others() { return keys(stored, std::uint64_t{1} << 40); }

struct row {
  std::string label;
  const any::kind* kind;
  any::options options{};
};

// Of a kind that takes a rate: tags of 8 bits; of one that grows: 12 bits per key.
any::options usual(const any::kind& kind) {
  any::options out;
  const umbel::traits& traits = kind.traits();
  if (traits.of == family::map)
    out.value_bits = traits.max_value_bits < 8 ? traits.max_value_bits : 8;
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
  const auto add = [&](std::string_view kind, std::string_view suffix, auto&& change) {
    const any::kind& of = any::kind_named(kind);
    row more{std::string(kind) + ", " + std::string(suffix), &of, usual(of)};
    change(more.options);
    out.push_back(more);
  };
  add("binary-fuse-filter", "12-bit tags", [](any::options& o) { o.fpr = 1.0 / 4096; });
  add("binary-fuse-filter", "16-bit tags", [](any::options& o) { o.fpr = 1.0 / 65536; });
  add("binary-fuse-map", "8-bit values without a check", [](any::options& o) { o.fpr.reset(); });
  add("cuckoo-filter", "12-bit tags", [](any::options& o) { o.bits.reset(), o.fpr = 0.002; });
  add("cuckoo-filter", "13-bit tags", [](any::options& o) { o.bits.reset(), o.fpr = 0.001; });
  add("bloom-filter", "8 probes, 12 bits per key", [](any::options& o) { o.probes = 8; });
  add("ribbon-filter", "preset fast", [](any::options& o) { o.preset = "fast"; });
  return out;
}

void write(const std::string& folder) {
  digest_spool in, universe;
  const auto given = members(), rest = others();
  const hasher hash;
  for (const std::uint64_t k : given) in.add(hash(k));
  for (const std::uint64_t k : rest) universe.add(hash(k));
  std::size_t number = 0;
  for (const row& r : rows()) {
    const std::string path = folder + "/" + std::to_string(number++) + ".umbel";
    const umbel::traits& traits = r.kind->traits();
    if (traits.exact) {
      r.kind->build(in, universe, r.options)->save(path);
    } else if (traits.of == family::map) {
      pair_spool pairs;
      const std::uint64_t largest = detail::low_mask(r.options.value_bits.value_or(8));
      for (const std::uint64_t k : given) pairs.add(core::valued{hash(k), k & largest});
      r.kind->build(pairs, r.options)->save(path);
    } else {
      r.kind->build(in, r.options)->save(path);
    }
  }
}

void count(const std::string& folder) {
  auto given = members(), rest = others();
  given.resize(asked);
  rest.resize(asked);
  std::uint64_t sum = 0;
  std::size_t number = 0;
  for (const row& r : rows()) {
    const std::string path = folder + "/" + std::to_string(number++) + ".umbel";
    for (const counter* each : counters)
      if (each->kind == r.kind->name()) sum += each->run(path, r.label, given, rest);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}

}  // namespace
}  // namespace umbel::instructions

int main(int count, char** words) {
  using namespace umbel::instructions;
  const std::string_view verb = count == 3 ? words[1] : "";
  if (verb != "write" && verb != "count") {
    std::fprintf(stderr, "usage: instructions write|count FOLDER\n");
    return 2;
  }
  try {
    verb == "write" ? write(words[2]) : umbel::instructions::count(words[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "instructions: %s\n", e.what());
    return 2;
  }
  return 0;
}
