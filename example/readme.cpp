// readme.cpp - a set that grows and is kept in a file, and a fixed list that is smaller.
#include <umbel/umbel.hpp>

#include <cassert>
#include <iostream>

int main() {
  umbel::bloom_filter seen({.keys = 1'000'000, .fpr = 0.01});
  seen.insert("alice");
  umbel::save(seen, "seen.umbel");
  const auto again = umbel::open<umbel::bloom_filter>("seen.umbel");  // mapped: nothing is copied
  assert(again->may_contain("alice"));                                // always
  // 0, or 1 with probability 0.01 at most
  std::cout << again->may_contain("bob") << '\n';

  const char* const words[] = {"ant", "bee", "cat"};
  const auto list = umbel::binary_fuse_filter::build(words, {.fpr = 1.0 / 256});
  bool answers[3];
  list.may_contain_batch(words, answers);  // the fast way: many keys per call
  assert(answers[0] && answers[1] && answers[2]);
}
