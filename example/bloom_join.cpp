// bloom_join.cpp - Bloom join [ML86] of two sites: one sends a filter of its keys, the other the
// rows that may match.
#include <umbel/recon/join.hpp>
#include <umbel/set/bloom_filter.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

constexpr std::uint64_t customers = 20'000, orders = 400'000, common = 4'000;

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = (first + i) * 0x9E3779B97F4A7C15;
  return out;
}
void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "not so: " << what << "\n";
  std::exit(1);
}

}  // namespace

int main() {
  const auto here = numbers(0, customers), there = numbers(customers - common, orders);

  // First site: a filter of the size with the lowest total cost.
  const auto plan =
      umbel::sizing::plan_join({.first = customers, .second = orders, .common = common});
  require(plan.cheapest() == umbel::sizing::join_way::filter, "a filter is cheapest");
  const auto bits = static_cast<std::uint64_t>(plan.bits_per_key * customers);
  const auto filter = umbel::bloom_filter::build(here, {.bits = bits});

  // Second site: the orders whose customer may be known at the first.
  const auto found = umbel::recon::candidates(filter, there);

  // First site: drops the false positives; the join is exact.
  const auto joined = umbel::recon::drop_non_members(found.keys, here);
  require(joined == numbers(customers - common, common), "the join is exact");

  std::cout << "planned " << plan.total_bytes() << " bytes at " << plan.bits_per_key
            << " bits per key; sent " << found.cost.total_bytes() << " (filter "
            << found.cost.filter_bytes << ", " << found.cost.sent << " candidates, about "
            << found.expected_false() << " of them false); all orders would have been "
            << found.cost.asked_bytes << "\n";
  require(static_cast<double>(found.cost.total_bytes()) < 1.1 * plan.total_bytes(),
          "it costs what was planned");

  // The anti-join: which customers have no order at the second site?
  const auto of_orders = umbel::bloom_filter::build(there, {.fpr = 0.01});
  const auto idle = umbel::recon::missing(of_orders, here);
  require(idle.keys.size() <= customers - common, "no customer with an order is called idle");
  std::cout << idle.keys.size() << " customers have no order, and about " << idle.expected_missed()
            << " more\n";
}
