// choose_at_run_time.cpp - every kind of set through one interface, chosen by name. Links
// umbel::any.
#include <umbel/any/any.hpp>

#include <cassert>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

int main() {
  constexpr std::size_t total = 100'000;
  umbel::digest_spool spool;
  for (std::uint64_t key = 0; key < total; ++key) spool.add(umbel::hasher()(key));
  std::vector<umbel::digest> non_members;
  for (std::uint64_t key = total; key < 11 * total; ++key)
    non_members.push_back(umbel::hasher()(key));
  const auto answers = std::make_unique<bool[]>(non_members.size());

  for (const umbel::any::kind* kind : umbel::any::kinds()) {
    const umbel::traits& traits = kind->traits();
    // Some kinds have no rate to choose.
    if (traits.of != umbel::family::set || !traits.rated() || traits.may_forget) continue;
    const umbel::any::options options{.keys = total, .fpr = 0.01};
    const auto planned = kind->plan(options);
    const auto set = kind->build(spool, options);
    // A structure may require its own hash (Parquet does); digests of another hash are other keys.
    if (set->hash() != umbel::hasher()) continue;
    spool.for_each(0, umbel::digest_spool::bins, [&](std::span<const umbel::digest> block) {
      for (const umbel::digest& d : block) assert(set->may_contain_one(d));
    });
    set->may_contain(non_members, {answers.get(), non_members.size()});
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < non_members.size(); ++i) passed += answers[i];
    std::cout << kind->name() << ": " << planned << "; measured "
              << static_cast<double>(passed) / static_cast<double>(non_members.size()) << '\n';
    assert(static_cast<double>(passed) <
           1.1 * planned.fpr * static_cast<double>(non_members.size()));
  }

  // A file records its kind.
  umbel::any::kind_named("binary-fuse-filter").build(spool, {.fpr = 0.01})->save("chosen.umbel");
  const auto opened = umbel::any::open("chosen.umbel");
  assert(opened->kind().name() == "binary-fuse-filter" && opened->keys() == total);
}
