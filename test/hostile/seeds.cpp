// seeds.cpp - seed corpora of the fuzz targets: small files of every kind, made here and kept in
// fuzz/corpus. With UMBEL_WRITE_SEEDS=1 in the environment they are written anew. Otherwise this
// test checks that every kind has some, that they are small, and that they can still be read. After
// adding a kind or changing a format:
//   UMBEL_WRITE_SEEDS=1 build/test/test_hostile --gtest_filter='Seeds.*'
#include <cstdlib>
#include <filesystem>
#include <map>

#include <umbel/cells/bit_stream.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/map/coded_map.hpp>
#include <umbel/map/meta_map.hpp>
#include <umbel/set/exact_set.hpp>

#include "support/kind_test.hpp"
#include "support/temp_dir.hpp"

namespace umbel::test {
namespace {

constexpr std::size_t max_bytes = 4096;

std::map<std::string, std::vector<std::byte>> files_of(const any::kind& kind) {
  std::map<std::string, std::vector<std::byte>> out;
  const std::string name(kind.name());
  for (const std::uint64_t n : {0U, 1U, 40U}) {
    out[name + "-" + std::to_string(n)] = built(kind, members(n, 7), {.fpr = 0.05})->encode();
  }
  // Another width, and several shards where there are shards.
  if (in_reach(kind, {.keys = 30, .fpr = 1e-3}))
    out[name + "-shards"] = built(kind, members(30, 7), {.fpr = 1e-3, .shard_from = 8})->encode();
  if (is_map(kind)) {
    const auto named = built(kind, members(40, 7), {.fpr = 0.05});
    named->name_values(some_names());
    out[name + "-named"] = named->encode();
  }
  return out;
}

// Ribbons without layers; members of the last one answer 0, which is for filters.
std::map<std::string, std::vector<std::byte>> files_of_plain_ribbons(const any::kind& kind) {
  std::map<std::string, std::vector<std::byte>> out;
  for (const char* const preset : {"standard_64", "standard_128", "homogeneous_64"}) {
    if (is_map(kind) && std::string_view(preset).starts_with("homogeneous")) continue;
    out[std::string(kind.name()) + "-" + preset] =
        built(kind, members(40, 7), {.fpr = 0.05, .preset = preset})->encode();
  }
  return out;
}

// A directory has four forms; the keys above lead to one or two of them.
std::map<std::string, std::vector<std::byte>> files_of_directories() {
  std::map<std::string, std::vector<std::byte>> out;
  pair_spool pairs;
  for (const digest& d : members(40, 7))
    for (unsigned i = 0; i < 10; ++i)
      if (i == d.lo % 10 || (d.hi >> i & 7) == 0) pairs.add(core::valued{d, i});
  using enum sizing::meta_form;
  for (const auto form : {bank, dictionary, bitmap})
    out["meta-map-" + std::string(sizing::name_of(form))] =
        encode(meta_map::build(pairs, {.fpr = 0.05, .databases = 10, .form = form}));
  return out;
}

// An exact set of several blocks, some with one side only.
std::map<std::string, std::vector<std::byte>> files_of_blocks() {
  pair_spool in, out;
  for (std::uint64_t i = 0; i < 90; ++i)
    (i * i % 90 < 20 + i % 7 * 12 ? in : out)
        .add(exact_set::in_block(digest_of(member_number(i, 7)), i % 7));
  return {{"exact-set-blocks", encode(exact_set::build_blocks(in, out, {}))}};
}
std::map<std::string, std::vector<std::byte>> files_of_compact_maps(const any::kind& kind) {
  return {{std::string(kind.name()) + "-compact",
           built(kind, members(40, 7), {.preset = "compact"})->encode()}};
}

// A perfect hash has seven forms.
std::map<std::string, std::vector<std::byte>> files_of_perfect_hashes(const any::kind& kind) {
  std::map<std::string, std::vector<std::byte>> out;
  for (const char* const preset : {"levels", "smallest", "coded", "peeled", "tree", "solved"})
    out[std::string(kind.name()) + "-" + preset] =
        built(kind, members(60, 7), {.preset = preset})->encode();
  return out;
}

// A coded map has five forms; equal values lead to one of them.
std::map<std::string, std::vector<std::byte>> files_of_coded_maps() {
  std::map<std::string, std::vector<std::byte>> out;
  for (const auto form :
       {coded_form::escape, coded_form::coded_small, coded_form::dominant, coded_form::coded}) {
    pair_spool pairs;
    for (const digest& d : members(60, 7))
      pairs.add(core::valued{d, d.hi % 10 < (form == coded_form::dominant ? 9U : 5U) ? 7
                                : d.lo % 3 == 0                                      ? d.lo >> 58
                                                                                     : 3});
    out["coded-map-" + std::string(name_of(form))] =
        encode(coded_map::build(pairs, {.value_bits = 6, .fpr = 0.05, .form = form}));
  }
  return out;
}

// A matrix dictionary has four forms; the default is one of them.
std::map<std::string, std::vector<std::byte>> files_of_matrices(const any::kind& kind) {
  std::map<std::string, std::vector<std::byte>> out;
  for (const std::string form : {"tabulated", "exact", "dense"})
    out[std::string(kind.name()) + "-" + form] =
        built(kind, members(form == "exact" ? 90 : 40, 7), {.fpr = 0.05, .form = form})->encode();
  return out;
}

std::string corpus(const std::string& target) {
  return (std::filesystem::path(UMBEL_SOURCE_DIR) / "fuzz" / "corpus" / target).string();
}
bool writing() { return std::getenv("UMBEL_WRITE_SEEDS") != nullptr; }

TEST(Seeds, EveryKindHasSome) {
  for (const char* const target : {"decode", "open"}) {
    const std::string folder = corpus(target);
    if (writing()) std::filesystem::create_directories(folder);
    for (const any::kind* const kind : any::kinds()) {
      auto files = files_of(*kind);
      if (is_directory(*kind)) files.merge(files_of_directories());
      if (kind->traits().assigns) files.merge(files_of_compact_maps(*kind));
      if (kind->name().starts_with("ribbon-")) files.merge(files_of_plain_ribbons(*kind));
      if (kind->name() == exact_set::kind) files.merge(files_of_blocks());
      if (kind->traits().answers == output::index) files.merge(files_of_perfect_hashes(*kind));
      if (kind->name().starts_with("matrix-")) files.merge(files_of_matrices(*kind));
      if (kind->name() == coded_map::kind) files.merge(files_of_coded_maps());
      for (const auto& [name, bytes] : files) {
        EXPECT_LT(bytes.size(), max_bytes) << name;
        const std::string path = folder + "/" + name;
        if (writing()) write_bytes(path, bytes);
        ASSERT_TRUE(std::filesystem::exists(path))
            << path << ": run with UMBEL_WRITE_SEEDS=1 to make it";
        EXPECT_NO_THROW((void)kind->decode(bytes_of(path), {}))
            << path << ": run with UMBEL_WRITE_SEEDS=1 to renew it";
      }
    }
  }
}

// Bit streams: fuzz/bit_stream.cpp reads a list of commands, and any bytes are such a list.
TEST(Seeds, BitStreamsHaveSome) {
  const std::string folder = corpus("bit_stream");
  if (writing()) {
    std::filesystem::create_directories(folder);
    std::vector<std::byte> counting, ones(64, std::byte{0xFF}), zeros(64), mixed;
    for (unsigned i = 0; i < 256; ++i) counting.push_back(std::byte(i));
    for (std::uint64_t i = 0; i < 300; ++i) mixed.push_back(std::byte(scatter(i) & 0xFF));
    write_bytes(folder + "/counting", counting);
    write_bytes(folder + "/ones", ones);
    write_bytes(folder + "/zeros", zeros);
    write_bytes(folder + "/mixed", mixed);
  }
  EXPECT_TRUE(std::filesystem::exists(folder + "/mixed"))
      << "run with UMBEL_WRITE_SEEDS=1 to make it";
}

}  // namespace
}  // namespace umbel::test
