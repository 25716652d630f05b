// crafted_files.cpp - files crafted by an attacker who has read the loader: sizes whose products
// wrap, too many sections, bits past the last cell. Damage to a single field does not find these.
#include "support/child.hpp"
#include "support/file_image.hpp"
#include "support/memory_file.hpp"
#include "support/verdict.hpp"

namespace umbel::test {
namespace {

// 35: shards * cells * width = 2^27 * 2^31 * 64 = 2^64, which wraps to no cells at all. The file
// must hold one byte per shard, so it is 128 MiB of zeros: sparse, and mapped, so that its checksum
// is not verified.
TEST(CraftedFiles, SizesThatWrapToNoCellsAreRefused) {
  for (const std::string_view name :
       {"binary-fuse-filter", "binary-fuse-map", "binary-fuse4-filter", "binary-fuse4-map",
        "xor-filter", "xor-map", "bloomier-filter"}) {
    SCOPED_TRACE(name);
    const auto& kind = any::kind_named(name);
    file_image image{built(kind, members(100, 1), {.fpr = 1e-3})->encode()};
    const auto fields = kind.decode(image.bytes(), {})->fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto place = image.field_places()[i];
      if (fields[i].first == "width") image.set(place, std::uint64_t{64});
      if (fields[i].first == "shard_bits") image.set(place, std::uint64_t{27});
      if (fields[i].first == "length_bits") image.set(place, std::uint64_t{1});
      if (fields[i].first == "segments") image.set(place, (std::uint64_t{1} << 30) - 2);
      if (fields[i].first == "block") image.set(place, (std::uint64_t{1} << 31) / 3);
    }
    constexpr std::uint64_t attempts = std::uint64_t{1} << 27;
    const auto entries = image.entries();
    std::uint64_t end = 0;
    for (const auto& entry : entries) {
      if (entry.name == "attempts")
        image.set(entry.at + at::entry_length, attempts), end = entry.offset + attempts;
      if (entry.name == "cells")
        image.set(entry.at + at::entry_offset, end)
            .set(entry.at + at::entry_length, std::uint64_t{8});
    }
    const std::uint64_t size = end + 64;
    // The fields end where the attempts begin; only the fields and the header are written.
    image.resize(end - attempts);
    image.set(at::file_bytes, size).seal();
    memory_file file;
    file.resize(size);
    file.put(0, image.bytes());
    EXPECT_EQ(
        in_child(30, [&] { return mapped(kind, file.path(), size) == verdict::refused ? 0 : 1; }),
        success);
  }
}

// A section table of the maximum length: read within the file's own size and 1 MiB.
TEST(CraftedFiles, ASectionTableOfTheLargestSize) {
  const auto& kind = *any::kinds()[0];
  const file_image good{built(kind, members(10, 2), {.fpr = 0.01})->encode()};
  for (const std::uint32_t count :
       {std::uint32_t{1000}, static_cast<std::uint32_t>(codec::max_sections)}) {
    file_image image = good;
    image.resize(at::header_end + std::size_t{count} * at::entry_end);
    image.set(at::sections, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t entry = at::header_end + i * at::entry_end;
      for (std::size_t letter = 0; letter < 23; ++letter) image.set(entry + letter, 'a');
      image.set(entry + 23, '\0')
          .set(entry + at::entry_type, std::uint32_t{2})
          .set(entry + at::entry_count, 8U);
      image.set(entry + at::entry_offset, std::uint64_t{image.size()})
          .set(entry + at::entry_length, std::uint64_t{0});
      image.set(entry + at::entry_check, detail::checksum(nullptr, 0))
          .set(entry + at::entry_reserved, std::uint64_t{0});
    }
    image.claim_size().seal_front();
    EXPECT_EQ(decoded(kind, image.bytes()), verdict::refused);
    EXPECT_EQ(mapped(kind, memory_file(image.bytes()).path(), image.size()), verdict::refused);
  }
}

// "Bits past the last cell are zero and stay zero": counts of set bits, equality and the canonical
// encoding depend on it.
TEST(CraftedFiles, BitsPastTheLastCellAreRefused) {
  const std::pair<std::string_view, std::vector<std::string_view>> padded[] = {
      {"bloom-filter", {"cells"}},
      {"banked-bloom-filter", {"cells"}},
      {"two-choice-bloom-filter", {"cells"}},
      {"best-of-bloom-filter", {"cells"}},
      {"selected-bloom-filter", {"choices", "cells"}},
      {"golomb-coded-set", {"offsets", "stream"}},
      {"binary-fuse-filter", {"cells"}},
      {"binary-fuse-map", {"cells"}},
      {"binary-fuse4-filter", {"cells"}},
      {"xor-map", {"cells"}},
      {"bloomier-filter", {"cells"}},
      {"mutable-bloomier-filter", {"cells", "values"}},
      {"sparse-filter", {"cells"}}};
  for (const auto& [name, arrays] : padded) {
    const auto& kind = any::kind_named(name);
    const file_image good{built(kind, members(101, 3), {.fpr = 0.01})->encode()};
    for (const auto& entry : good.entries()) {
      if (std::find(arrays.begin(), arrays.end(), entry.name) == arrays.end()) continue;
      file_image image = good;
      image.set(entry.offset + entry.length - 1, std::uint8_t{0x80});
      EXPECT_EQ(decoded(kind, image.seal().bytes()), verdict::refused)
          << name << ", " << entry.name;
    }
  }
}

// A constructor refuses combinations of scheme, size and hash that do not work; a file with one is
// refused too.
TEST(CraftedFiles, ImpossibleSchemesAreRefused) {
  using core::scheme;
  const auto& kind = any::kind_named("bloom-filter");
  enum field { cells, probes, how, salt };
  const auto image_of = [&](std::optional<scheme> options) {
    return file_image(kind.create({.keys = 20, .bits = 128, .scheme = options})->encode());
  };
  const auto expect = [&](verdict expected, file_image image, const char* what) {
    image.seal();
    EXPECT_EQ(decoded(kind, image.bytes()), expected) << what;
    EXPECT_EQ(mapped(kind, memory_file(image.bytes()).path(), image.size()), expected)
        << what << ", mapped";
  };
  const auto with = [&](file_image image, field which, std::uint64_t value) {
    return image.set(image.field_places()[which], value);
  };
  const auto refuse = [&](const file_image& image, const char* what) {
    expect(verdict::refused, image, what);
  };

  const file_image squid = image_of(scheme::chunks), simple = image_of(scheme::crc),
                   usual = image_of(std::nullopt);
  expect(verdict::taken, squid, "chunks");
  expect(verdict::taken, simple, "crc");
  for (const std::uint32_t hash : {1U, 2U, 3U, 5U})
    refuse(file_image(squid).set(at::hash, hash), "chunks, another hash");
  for (const std::uint32_t hash : {1U, 2U, 3U, 4U})
    refuse(file_image(simple).set(at::hash, hash), "crc, another hash");
  for (const std::uint64_t other : {3U, 5U, 1024U})
    refuse(with(squid, probes, other), "chunks, not four probes");
  refuse(file_image(squid).set(at::seed, std::uint64_t{1}), "chunks, a seed");
  refuse(with(squid, salt, 1), "chunks, a salt");
  refuse(with(simple, salt, 1), "crc, a salt");
  refuse(with(usual, how, 8), "chunks under xxh3");
  refuse(with(usual, how, 11), "crc under xxh3");
  refuse(with(usual, how, 12), "dcso under xxh3");
  refuse(with(image_of(scheme::partitioned), probes, 7), "128 bits in 7 slices");
  for (const std::uint64_t size : {127U, 96U, 65U})
    refuse(with(image_of(scheme::h3), cells, size), "h3, no power of two");
  // An array of one word has room for one cell, but a walk modulo 1 has no step.
  const file_image tiny(
      kind.create({.keys = 1, .bits = 2, .probes = 1, .scheme = scheme::enhanced})->encode());
  for (const std::uint64_t walk : {2U, 3U, 4U, 5U, 11U})
    refuse(with(with(tiny, cells, 1), how, walk), "one cell");
  expect(verdict::taken, with(with(tiny, cells, 1), how, 7), "one cell, drawn by a generator");
}

// Filters whose cells are all ones, those past the end too: counts of clear cells must not become
// negative.
TEST(CraftedFiles, AFilterOfAllOnesIsSaturated) {
  for (const any::kind* const kind : kinds_that(grows)) {
    file_image image{built(*kind, members(100, 4), {.fpr = 0.01})->encode()};
    const auto in_array = image.in_arrays();
    for (std::size_t byte = 0; byte < image.size(); ++byte)
      if (in_array[byte]) image.set(byte, std::uint8_t{0xFF});
    const auto made =
        received(image.size(), [&] { return kind->decode(image.seal().bytes(), {}); });
    if (!made) continue;
    EXPECT_LE(made->expected_fpr(), 1) << kind->name();
    if (const auto told = made->cardinality()) {
      EXPECT_TRUE(told->saturated) << kind->name() << " " << told->value;
    }
  }
}

}  // namespace
}  // namespace umbel::test
