// other.cpp - the same header a second time, so that a body lacking `inline` fails to link.
#ifndef CONSUMER_HEADER
#define CONSUMER_HEADER <umbel/set/bloom_filter.hpp>
#endif
#include CONSUMER_HEADER

bool other_file_agrees() {
  umbel::bloom_filter seen({.keys = 1000, .fpr = 0.01});
  return !seen.may_contain("alice");
}
