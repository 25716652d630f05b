// main.cpp - the smallest program that uses umbel; each way of obtaining the library builds and
// runs it.
#ifndef CONSUMER_HEADER
#define CONSUMER_HEADER <umbel/set/bloom_filter.hpp>
#endif
#include CONSUMER_HEADER

bool other_file_agrees();  // other.cpp

int main() {
  umbel::bloom_filter seen({.keys = 1000, .fpr = 0.01});
  seen.insert("alice");
  return seen.may_contain("alice") && other_file_agrees() ? 0 : 1;
}
