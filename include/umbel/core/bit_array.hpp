// bit_array.hpp - what all approximate sets over one array of bits have: inserts, queries, unions, halving, files.
// Idea       An index names a key's bits (one walk, or several to choose from) and core/probed.hpp walks them; a
//            structure on top adds its options, its plan and what it knows of its rate. Sets whose bits may be cleared
//            again take the first half, which knows no union.
// Invariant  Of a bit_array: bits never go from 1 to 0, so no key is forgotten.
// Threads    As its cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/core/face.hpp>
#include <umbel/core/probed.hpp>
#include <umbel/hash/hasher.hpp>

namespace umbel::core {

template <class Self, class Index, class Cells>
class bit_cells : public set_queries<Self>, public set_inserts<Self> {
 public:
  void clear() noexcept { engine_.cells().storage().clear(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept { return engine_.cells().size(); }
  [[nodiscard]] unsigned probes() const noexcept { return engine_.at().probes(); }
  [[nodiscard]] double fill() const noexcept {
    return static_cast<double>(engine_.cells().storage().ones()) / static_cast<double>(size_in_bits());
  }

  [[nodiscard]] const hasher& hash() const noexcept { return hash_; }
  friend bool operator==(const Self& a, const Self& b) noexcept { return a.equals(b); }

  static void describe(auto& self, auto& part) {
    part.hash(self.bit_cells::hash_);
    part.fields("index", self.bit_cells::engine_.at());
    part.array("cells", self.bit_cells::engine_.cells().storage());
  }
  void check() { engine_.check(); }

 protected:
  using engine = probed<Index, Cells>;

  bit_cells() = default;
  bit_cells(const hasher& hash, const Index& at, std::pmr::memory_resource* memory)
      : hash_(hash), engine_(at, memory) {}

  hasher hash_;
  engine engine_;

  // A structure with more to compare has an `equals` of its own.
  [[nodiscard]] bool equals(const bit_cells& other) const noexcept {
    return hash_ == other.hash_ && engine_.at() == other.engine_.at() && engine_.cells() == other.engine_.cells();
  }

 private:
  friend set_queries<Self>;
  friend set_inserts<Self>;
  bool insert_digest(digest d) noexcept { return engine_.insert(d); }
  void insert_digests(std::size_t total, auto& digest_at) noexcept { engine_.insert(total, digest_at); }
  [[nodiscard]] bool may_contain_digest(digest d) const noexcept { return engine_.query(d); }
  void may_contain_digests(std::size_t total, auto& digest_at, bool* out) const noexcept {
    engine_.query(total, digest_at, out);
  }
};

template <class Self, class Index, class Cells>
class bit_array : public bit_cells<Self, Index, Cells> {
  using base = bit_cells<Self, Index, Cells>;

 public:
  // Every bit of both: the filter of the union, unless keys choose their bits; then it may hold more.
  void merge(const Self& other) {
    require_alike(other);
    engine_.cells().storage() |= other.engine_.cells().storage();
  }
  // Half as many bits. Needs an even number of bits, or of what the index divides them into.
  void fold() {
    const Index half = engine_.at().halved();
    engine_ = engine(half, half.folds_onto_itself() ? engine_.cells().overlaid() : engine_.cells().folded());
  }

 protected:
  using base::base, base::engine_, base::hash_;
  using typename base::engine;

  bit_array() = default;
  void require_alike(const Self& other) const {
    if (hash_ != other.hash_) throw incompatible("these filters were built with different hashes, seeds or keys");
    if (engine_.at() != other.engine_.at())
      throw incompatible(detail::text("these filters differ in shape: ", engine_.at().in_words(), " against ",
                                      other.engine_.at().in_words(), "; build both with the same options"));
  }
};

}  // namespace umbel::core
