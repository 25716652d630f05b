// measure.hpp - the one harness: every kind is timed by the same loops, beside the memory it runs
// on.
// Idea       A fast wrong filter gets no row: members are checked first. Then rounds of hits,
//            misses, batches and bare line reads alternate, and all kinds take turns, so that a
//            noisy neighbour disturbs all of them alike; medians are reported.
// Layout     `side_by_side` is compiled once and sees a `subject`, whose verbs take many keys at a
//            time: what is compiled for each kind is four loops, and a virtual call is nothing
//            beside one.
// Limits     Keys are 64-bit integers or texts of one length, hashing included in every figure. One
//            thread queries. Kinds that together take more than 4 GiB take turns in groups. Builds
//            are timed one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <umbel/any/bench.hpp>
#include <umbel/base/integers.hpp>
#include <umbel/core/traits.hpp>

namespace umbel::any {
class structure;
template <class T>
class structure_of;
}  // namespace umbel::any

namespace umbel::bench {

// Of the values in a map that is measured.
[[nodiscard]] constexpr unsigned value_bits(const umbel::traits& traits) noexcept {
  return traits.max_value_bits < 8 ? traits.max_value_bits : 8;
}

class subject {
 public:
  virtual ~subject() = default;
  [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
  [[nodiscard]] virtual const umbel::traits& traits() const noexcept = 0;
  virtual void drop() noexcept = 0;
  // The others are what an exact set has to tell its members from.
  virtual void build(const std::vector<std::uint64_t>& members,
                     const std::vector<std::uint64_t>& others, const workload& work) = 0;
  [[nodiscard]] virtual std::uint64_t size_in_bits() const noexcept = 0;
  // How many of them may be members, asked one by one.
  [[nodiscard]] virtual std::uint64_t ask_each(
      std::span<const std::uint64_t> keys) const noexcept = 0;
  virtual void ask_batch(std::span<const std::uint64_t> keys, std::span<bool> answers) = 0;
  virtual void insert_batch(std::span<const std::uint64_t> keys) = 0;  // not of static kinds

  // The same for keys that are text, of a structure that was built elsewhere.
  virtual void hold(std::unique_ptr<any::structure> built) = 0;
  [[nodiscard]] virtual std::uint64_t ask_each(
      std::span<const std::string_view> keys) const noexcept = 0;
  virtual void ask_batch(std::span<const std::string_view> keys, std::span<bool> answers) = 0;
};

// Measures kinds that hold the same number of keys.
class side_by_side {
 public:
  explicit side_by_side(std::uint64_t keys);
  ~side_by_side();
  side_by_side(const side_by_side&) = delete;
  side_by_side& operator=(const side_by_side&) = delete;

  // Builds it, checks that no member is forgotten, and measures its rate. If it throws, the kind is
  // left out.
  void add(std::unique_ptr<subject> kind, const workload& work);
  // Times those that were added: rows in the order of adding.
  [[nodiscard]] std::vector<row> take_rows();

 private:
  class harness;
  std::unique_ptr<harness> harness_;
};

// `T` may be a set or a map, static or growing.
template <class T>
class subject_of final : public subject {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return T::kind; }
  [[nodiscard]] const umbel::traits& traits() const noexcept override { return T::traits; }
  void drop() noexcept override { built_.reset(); }
  void build(const std::vector<std::uint64_t>& members,
             [[maybe_unused]] const std::vector<std::uint64_t>& others,
             const workload& work) override {
    typename T::options_type options{};
    options.threads = work.threads;
    if constexpr (T::traits.exact) {
      built_.emplace(T::build(members, others, options));
      return;
    } else if constexpr (!T::traits.rated()) {
    } else if constexpr (T::traits.is_static) {
      options.fpr = work.fpr.value_or(1.0 / 256);
    } else {
      options.keys = work.keys;
      if (work.fpr)
        options.fpr = work.fpr;
      else
        options.bits = static_cast<std::uint64_t>(work.bits_per_key.value_or(12) *
                                                  static_cast<double>(work.keys));
    }
    if constexpr (T::traits.of == family::map) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
      pairs.reserve(members.size());
      const unsigned bits = value_bits(T::traits);
      if constexpr (requires { options.value_bits; }) options.value_bits = bits;
      for (const std::uint64_t m : members) pairs.emplace_back(m, m & detail::low_mask(bits));
      built_.emplace(T::build(pairs, options));
    } else if constexpr (!T::traits.exact) {
      built_.emplace(T::build(members, options));
    }
  }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept override {
    return built_->size_in_bits();
  }
  [[nodiscard]] std::uint64_t ask_each(
      std::span<const std::uint64_t> keys) const noexcept override {
    return each_of(keys);
  }
  void ask_batch(std::span<const std::uint64_t> keys, std::span<bool> answers) override {
    batch_of(keys, answers);
  }
  void insert_batch([[maybe_unused]] std::span<const std::uint64_t> keys) override {
    if constexpr (!T::traits.is_static) (void)built_->insert_batch(keys);
  }
  void hold(std::unique_ptr<any::structure> built) override {
    built_.emplace(static_cast<const any::structure_of<T>&>(*built).get());
  }
  [[nodiscard]] std::uint64_t ask_each(
      std::span<const std::string_view> keys) const noexcept override {
    return each_of(keys);
  }
  void ask_batch(std::span<const std::string_view> keys, std::span<bool> answers) override {
    batch_of(keys, answers);
  }

 private:
  template <class Key>
  [[nodiscard]] std::uint64_t each_of(std::span<const Key> keys) const noexcept {
    const T& built = *built_;
    std::uint64_t passed = 0;
    for (const Key& k : keys) {
      if constexpr (T::traits.answers == output::value)
        passed += built.find(k).has_value();
      else if constexpr (T::traits.answers == output::index)
        passed += built.index(k) < built.keys();
      else if constexpr (T::traits.exact)
        passed += built.contains(k);
      else
        passed += built.may_contain(k);
    }
    return passed;
  }
  template <class Key>
  void batch_of(std::span<const Key> keys, std::span<bool> answers) {
    if constexpr (T::traits.answers == output::value) {
      found_.resize(keys.size());
      built_->find_batch(keys, found_);
      for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = found_[i].has_value();
    } else if constexpr (T::traits.answers == output::index) {
      indices_.resize(keys.size());
      built_->index_batch(keys, indices_);
      const std::uint64_t members = built_->keys();
      for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = indices_[i] < members;
    } else if constexpr (T::traits.exact) {
      built_->contains_batch(keys, answers);
    } else {
      built_->may_contain_batch(keys, answers);
    }
  }

  std::optional<T> built_;
  std::vector<std::optional<std::uint64_t>> found_;
  std::vector<std::uint64_t> indices_;
};

}  // namespace umbel::bench
