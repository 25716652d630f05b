// perfect.ipp - bodies of core/perfect.hpp: builds and batches of all forms but pilots in bytes.
#pragma once

#include <umbel/core/divided_build.hpp>
#include <umbel/core/leveled_build.hpp>
#include <umbel/core/peeled_build.hpp>
#include <umbel/core/perfect.hpp>
#include <umbel/core/solved_hash_build.hpp>
#include <umbel/core/tree_hash_build.hpp>

namespace umbel::core {

template <class Spool>
void perfect::build_from(const Spool& keys, const build_options& how) {
  switch (how.preset) {
    case perfect_preset::levels:
      form_ = form::levels;
      leveled_ = level_builder<Spool>::build(keys, how.memory, how.threads);
      break;
    case perfect_preset::smallest:
      form_ = form::divisions;
      divided_ = division_builder<Spool>::build(keys, how);
      break;
    case perfect_preset::coded:
      form_ = form::coded_pilots;
      coded_ = coded::build(keys, how);
      break;
    case perfect_preset::peeled:
      form_ = form::cells;
      peeled_ = peeled_hash(peeled_hash::table::build(keys,
                                                      {.width = 2,
                                                       .thirds = true,
                                                       .memory = how.memory,
                                                       .threads = how.threads,
                                                       .shard_from = peeled_hash::shard_from(how.part_from)},
                                                      [](const digest&) { return std::uint64_t{0}; }));
      break;
    case perfect_preset::solved:
      form_ = form::solved;
      solved_ = solved_builder<Spool>::build(keys, how);
      break;
    default: form_ = form::tree; tree_ = tree_builder<Spool>::build(keys, how.memory, how.threads);
  }
}

template <class Digest>
void perfect::indices(const Digest* keys, std::size_t total, std::uint64_t* out) const noexcept {
  engine(*this, [=](const auto& of) { of.indices(keys, total, out); });
}

#if defined(UMBEL_BODIES)
template void perfect::build_from(const digest_spool&, const build_options&);
template void perfect::indices(const digest*, std::size_t, std::uint64_t*) const noexcept;
#endif

}  // namespace umbel::core
