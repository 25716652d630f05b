// perfect.ipp - bodies of engine/perfect/perfect.hpp: builds and batches of all forms except byte
// pilots.
#pragma once

#include <umbel/engine/perfect/bbhash_build.hpp>
#include <umbel/engine/perfect/blooming_tree_build.hpp>
#include <umbel/engine/perfect/perfect.hpp>
#include <umbel/engine/perfect/recsplit_build.hpp>
#include <umbel/engine/perfect/solved_build.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>

namespace umbel::core {

template <class Spool>
void perfect::build_from(const Spool& keys, const build_options& options) {
  switch (options.preset) {
    case perfect_preset::levels:
      form_ = form::levels;
      leveled_ = bbhash_builder<Spool>::build(keys, options.memory, options.threads);
      break;
    case perfect_preset::smallest:
      form_ = form::divisions;
      divided_ = recsplit_builder<Spool>::build(keys, options);
      break;
    case perfect_preset::coded:
      form_ = form::coded_pilots;
      coded_ = coded::build(keys, options);
      break;
    case perfect_preset::peeled:
      form_ = form::cells;
      peeled_ =
          bdz(bdz::table::build(keys,
                                {.width = 2,
                                 .thirds = true,
                                 .memory = options.memory,
                                 .threads = options.threads,
                                 .shard_from = bdz::shard_from(options.part_from)},
                                [](const digest&, std::uint64_t) { return std::uint64_t{0}; }));
      break;
    case perfect_preset::solved:
      form_ = form::solved;
      solved_ = solved_builder<Spool>::build(keys, options);
      break;
    default:
      form_ = form::tree;
      tree_ = tree_builder<Spool>::build(keys, options.memory, options.threads);
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
