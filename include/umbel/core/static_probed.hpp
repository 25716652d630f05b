// static_probed.hpp - sets built at once over an index that was chosen for their keys: what they have in common.
// Idea       Once chosen, the index is like any other: queries, rate and equality are those of a Bloom filter's cells.
// Limits     `Self` has build(spool, options) and describe, and fills the engine.
// Threads    Immutable: any number of readers.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <utility>

#include <umbel/cells/bits.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/probed.hpp>
#include <umbel/core/static_face.hpp>

namespace umbel::core {

template <class Self, class Index>
class static_probed : public set_queries<Self>, public static_set<Self> {
 public:
  [[nodiscard]] unsigned probes() const noexcept { return engine_.at().probes(); }
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(engine_.cells().storage().ones()) / static_cast<double>(engine_.cells().size());
  }
  // The rate at the fill that was reached, whatever was planned.
  [[nodiscard]] double expected_fpr() const noexcept { return std::pow(fill(), probes()); }
  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const Self& a, const Self& b) noexcept {
    return a.hash_ == b.hash_ && a.engine_.at() == b.engine_.at() && a.engine_.cells() == b.engine_.cells();
  }
  void check() { engine_.check(); }

 protected:
  using engine = probed<Index, cells::bits>;

  static_probed() = default;
  static_probed(const hasher& hash, engine filled) : hash_(hash), engine_(std::move(filled)) {}

  hasher hash_;
  engine engine_;

 private:
  friend set_queries<Self>;
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.query(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.query(total, digest_at, out);
  }
};

}  // namespace umbel::core
