// placement.hpp - the contract of an index that names a few cells per key.
#pragma once

#include <concepts>
#include <cstdint>

#include <umbel/hash/digest.hpp>

namespace umbel::index {

// A placement is a pure function of (digest, geometry): the same cells on every machine and in every release, because
// stored filters depend on it. A walk visits a digest's cells one by one, so that batches can stop, fetch and go on.
template <class P>
concept placement = std::copyable<P> && requires(const P at, digest d) {
  { at.cells() } -> std::same_as<std::uint64_t>;  // every position is below cells()
  { at.probes() } -> std::same_as<unsigned>;      // steps of a walk
  requires requires(decltype(at.start(d)) walk) {
    { at.next(walk) } -> std::same_as<std::uint64_t>;
  };
};

// work(placement), with one whose steps are inlined where `at` can name one: for loops over many keys.
template <class P, class Work>
decltype(auto) with_fixed(const P& at, Work&& work) {
  if constexpr (requires { at.with_fixed(work); })
    return at.with_fixed(work);
  else
    return work(at);
}

// Visits the cells of `d` in order while `visit` answers true; true if none said false.
template <class P, class Visit>
[[nodiscard]] bool all_of(const P& at, digest d, Visit&& visit) noexcept {
  auto walk = at.start(d);
  for (unsigned i = 0; i < at.probes(); ++i)
    if (!visit(at.next(walk))) return false;
  return true;
}

}  // namespace umbel::index
