// illegal_erase.cpp - erasing keys that were never inserted loses keys that were. For every kind
// that erases.
#include <umbel/any/any.hpp>

#include <cassert>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

std::vector<umbel::digest> keys(const std::string& what) {
  std::vector<umbel::digest> out;
  for (int i = 0; i < 1000; ++i) out.push_back(umbel::hasher()(what + std::to_string(i)));
  return out;
}
std::size_t forgotten(const umbel::any::structure& set, std::span<const umbel::digest> members) {
  std::size_t sum = 0;
  for (const auto& d : members) sum += !set.may_contain_one(d);
  return sum;
}

int main() {
  const auto members = keys("member "), non_members = keys("non-member ");
  std::printf("%-24s %18s %22s\n", "1000 non-members erased", "answered: done",
              "members forgotten");
  for (const umbel::any::kind* const kind : umbel::any::kinds()) {
    if (!kind->traits().erases || kind->traits().is_static) continue;
    const auto set = kind->create({.keys = 1000, .fpr = 0.1});
    set->insert(members);
    assert(forgotten(*set, members) == 0);
    // Never do this: non-members that pass are erased as if they were members.
    const std::size_t done = set->erase(non_members);
    const std::size_t lost = forgotten(*set, members);
    std::printf("%-24s %18zu %22zu\n", std::string(kind->name()).c_str(), done, lost);
    // A kind that may lose keys anyway records erased keys in a second filter, which few members
    // pass.
    assert(done > 0 && (lost > 0 || kind->traits().may_forget));
  }

  // Legal: erase what was inserted, as often as it was inserted. No other key is lost.
  for (const umbel::any::kind* const kind : umbel::any::kinds()) {
    if (!kind->traits().erases || kind->traits().is_static || kind->traits().may_forget) continue;
    const auto set = kind->create({.keys = 1000, .fpr = 0.1});
    set->insert(members);
    (void)set->erase(std::span(members).first(500));
    assert(forgotten(*set, std::span(members).subspan(500)) == 0);
  }
}
