// keyed.cpp - forged false positives: all of them pass an unkeyed filter, hardly any a keyed one.
#include <umbel/codec/codec.hpp>
#include <umbel/set/bloom_filter.hpp>

#include <cassert>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>

umbel::bloom_filter blocked_names(const umbel::hasher& hash) {
  umbel::bloom_filter out({.keys = 10'000, .fpr = 0.01, .hash = hash});
  for (int i = 0; i < 10'000; ++i) out.insert("blocked " + std::to_string(i));
  return out;
}

int main() {
  umbel::secret_key secret;
  // From the operating system; keep the sixteen bytes secret, as a password.
  std::random_device entropy;
  for (auto& byte : secret) byte = static_cast<std::uint8_t>(entropy());
  // A seed is stored in the file, so it is not secret.
  const auto open_to_all = blocked_names(umbel::hasher::seeded(12345));
  const auto keyed = blocked_names(umbel::hasher::keyed(secret));

  // An attacker with the list and the seed builds the same filter, and searches for non-members
  // that pass.
  const auto copy = blocked_names(umbel::hasher::seeded(12345));
  std::vector<std::string> forged;
  for (int i = 0; forged.size() < 1000; ++i)
    if (std::string name = "innocent " + std::to_string(i); copy.may_contain(name))
      forged.push_back(name);
  int hits = 0, keyed_hits = 0;
  for (const auto& name : forged) {
    hits += open_to_all.may_contain(name);
    keyed_hits += keyed.may_contain(name);
  }
  std::cout << "of 1000 forged names " << hits << " pass the unkeyed filter, " << keyed_hits
            << " the keyed one\n";
  assert(hits == 1000);
  assert(keyed_hits < 40);  // 10 are expected; 40 is more than nine standard deviations away

  // A file never contains the key, and a wrong key is detected.
  umbel::save(keyed, "keyed.umbel");
  for (const auto& wrong :
       {umbel::load_options{}, umbel::load_options{.key = umbel::secret_key{}}}) {
    try {
      (void)umbel::load<umbel::bloom_filter>("keyed.umbel", wrong);
      assert(false);
    } catch (const umbel::incompatible& refusal) {
      std::cout << "refused: " << refusal.what() << '\n';
    }
  }
  assert(umbel::load<umbel::bloom_filter>("keyed.umbel", {.key = secret}) == keyed);
  std::remove("keyed.umbel");
}
