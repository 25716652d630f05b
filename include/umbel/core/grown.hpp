// grown.hpp - builds of sets that support single inserts: all keys of a range are inserted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <umbel/base/error.hpp>
#include <umbel/core/can.hpp>
#include <umbel/core/keys.hpp>
#include <umbel/core/occupancy.hpp>

namespace umbel::core {

// Inserts every key of a batch, or throws `full`.
template <class Set, key_span Keys>
void insert_all(Set& set, const Keys& keys) {
  [[maybe_unused]] const std::size_t taken = set.insert_batch(keys);
  if constexpr (can::try_insert<typename Set::engine_type>)
    if (taken != std::size(keys))
      throw no_room(Set::kind, set.engine().occupied(), taken, std::size(keys));
}

// The inserts of a build: add(keys) for each block of keys, then finish(). Throws `full` if there
// is no room for all; the set must then be discarded. A Set that can insert faster during a build
// has its own `filling`. The resulting set must not depend on how keys are divided into blocks.
template <class Set>
struct plain_filling {
  Set& set;
  template <key_span Keys>
  void add(const Keys& keys) {
    insert_all(set, keys);
  }
  void finish() noexcept {}
};
template <class Set>
[[nodiscard]] auto filling(Set& set) {
  if constexpr (requires { typename Set::filling; })
    return typename Set::filling(set);
  else
    return plain_filling<Set>{set};
}

// A set of all keys, inserted in the order given. The option `keys` defaults to the number of keys
// given.
template <class Set, key_range Keys>
[[nodiscard]] Set grown(const Keys& keys, typename Set::options_type options) {
  if (!options.keys && !(options.fpr && options.bits))
    options.keys = static_cast<std::uint64_t>(std::distance(std::begin(keys), std::end(keys)));
  Set out(options);
  if constexpr (key_span<Keys>) {
    auto into = filling(out);
    into.add(keys);
    into.finish();
  } else {
    for (const auto& k : keys) out.insert(k);
  }
  return out;
}

}  // namespace umbel::core
