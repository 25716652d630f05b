// readme.cpp - a set that grows and is kept in a file, and a fixed list that is smaller.
#include <cassert>

#include <umbel/umbel.hpp>

int main() {
  umbel::bloom_filter seen({.keys = 1'000'000, .fpr = 0.01});
  seen.insert("alice");
  umbel::save(seen, "seen.umbel");
  const auto again = umbel::open<umbel::bloom_filter>("seen.umbel");  // mapped: nothing is copied
  assert(again->may_contain("alice"));  // always; "bob" passes with probability 0.01 at most
  const char* const words[] = {"ant", "bee", "cat"};  // a fixed list takes fewer bits
  const auto list = umbel::binary_fuse_filter::build(words, {.fpr = 1.0 / 256});
  assert(list.may_contain("bee"));
}
