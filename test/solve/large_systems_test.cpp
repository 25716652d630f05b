// large_systems_test.cpp - solvers of large systems: the method of four Russians [ABH10] and
// Wiedemann [Wie86] give what row-by-row elimination gives.
#include <umbel/solve/four_russians.hpp>
#include <umbel/solve/wiedemann.hpp>

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <umbel/cells/kernel/carryless.hpp>
#include <umbel/solve/dense.hpp>

namespace umbel::solve {
namespace large_systems {
namespace {

struct random_system {
  std::size_t unknowns;
  std::vector<std::vector<std::uint64_t>> rows;  // coefficients and right side
};

random_system drawn(std::size_t rows, std::size_t unknowns, unsigned right_bits,
                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t words = (unknowns + 63) / 64;
  random_system out{unknowns, std::vector(rows, std::vector<std::uint64_t>(words + 1))};
  for (auto& row : out.rows) {
    for (std::size_t u = 0; u < unknowns; ++u) row[u / 64] |= (random() & 1) << u % 64;
    row.back() = random() >> (64 - right_bits);
  }
  return out;
}
struct solution {
  bool found = false;
  std::size_t rank = 0;
  std::vector<std::uint64_t> values;
  bool operator==(const solution&) const = default;
};
solution by_rows(random_system s) {
  dense_system system;
  system.reset(s.unknowns);
  solution out{true, 0, std::vector<std::uint64_t>(s.unknowns)};
  for (auto& row : s.rows) out.found &= system.add(row);
  out.rank = system.rank();
  if (!out.found) return {false, out.rank, {}};
  system.solve(out.values);
  return out;
}
solution by_tables(const random_system& s) {
  four_russians system;
  system.reset(s.rows.size(), s.unknowns);
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    std::copy(s.rows[i].begin(), s.rows[i].end() - 1, system.coefficients(i).begin());
    system.right(i) = s.rows[i].back();
  }
  solution out{false, 0, std::vector<std::uint64_t>(s.unknowns)};
  out.found = system.solve(out.values);
  out.rank = system.rank();
  if (!out.found) out.values.clear();
  return out;
}

// Fewer, as many and more rows than unknowns; right-hand sides of one bit, so that dependent rows
// are often consistent.
TEST(FourRussians, AgreeWithEliminationRowByRow) {
  unsigned found = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t unknowns = 1 + random() % 90,
                      rows = unknowns + 3 - std::min(unknowns, random() % 7);
    auto system = drawn(rows, unknowns, 1, seed);
    if (seed % 3 == 0)  // columns without a pivot in the middle of a panel
      for (auto& row : system.rows) row[0] &= ~std::uint64_t{0x24};
    const auto expected = by_rows(system);
    ASSERT_EQ(by_tables(system), expected) << seed;
    ++(expected.found ? found : refused);
  }
  EXPECT_GT(found, 300U);
  EXPECT_GT(refused, 300U);
}
TEST(FourRussians, AgreeOnLargeSystems) {
  for (const std::size_t unknowns : {511U, 512U, 513U, 1000U, 1500U})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto system = drawn(unknowns, unknowns + seed, 64, 100 * unknowns + seed);
      ASSERT_EQ(by_tables(system), by_rows(system)) << unknowns << ' ' << seed;
    }
}
TEST(FourRussians, EmptySystems) {
  four_russians system;
  system.reset(0, 0);
  EXPECT_TRUE(system.solve({}));
  system.reset(1, 0);
  EXPECT_TRUE(system.solve({}));
  system.reset(1, 0);
  system.right(0) = 1;
  EXPECT_FALSE(system.solve({}));
}

// ---- the field ----

TEST(Field, SatisfiesTheFieldAxioms) {
  namespace field = cells::kernel;
  std::mt19937_64 random(1);
  // x^64 = x^4 + x^3 + x + 1
  EXPECT_EQ(field::portable::field_product(std::uint64_t{1} << 63, 2), 0x1BU);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t a = random(), b = random(), c = random();
    EXPECT_EQ(field::field_product(a, b), field::portable::field_product(a, b));
    EXPECT_EQ(field::field_product(a, b), field::field_product(b, a));
    EXPECT_EQ(field::field_product(a, b ^ c),
              field::field_product(a, b) ^ field::field_product(a, c));
    EXPECT_EQ(field::field_product(field::field_product(a, b), c),
              field::field_product(a, field::field_product(b, c)));
    EXPECT_EQ(field::field_product(a, field::field_inverse(a)), 1U);
  }
}
// The vector code gives the bits of the portable code.
TEST(Field, VectorAndPortableCodeAgree) {
  namespace field = cells::kernel;
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> a(77), b(77), to(77);
  for (auto* const v : {&a, &b, &to})
    for (auto& x : *v) x = random();
  EXPECT_EQ(field::field_dot(a.data(), b.data(), 77),
            field::portable::field_dot(a.data(), b.data(), 77));
  EXPECT_EQ(field::field_back_dot(a.data(), &b[76], 77),
            field::portable::field_back_dot(a.data(), &b[76], 77));
  auto other = to;
  field::field_add(to.data(), a[3], b.data(), 77);
  field::portable::field_add(other.data(), a[3], b.data(), 77);
  EXPECT_EQ(to, other);
}

// ---- Wiedemann ----

struct sparse_system {
  std::size_t arity;
  std::vector<std::uint32_t> members;
  std::vector<std::uint64_t> rights;
  [[nodiscard]] random_system as_rows() const {
    const std::size_t n = rights.size();
    random_system out{n, std::vector(n, std::vector<std::uint64_t>((n + 63) / 64 + 1))};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < arity; ++j) {
        const std::uint32_t u = members[i * arity + j];
        out.rows[i][u / 64] ^= std::uint64_t{1} << u % 64;
      }
      out.rows[i].back() = rights[i];
    }
    return out;
  }
};
sparse_system sparse_drawn(std::size_t n, std::size_t arity, unsigned right_bits,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  sparse_system out{arity, {}, {}};
  for (std::size_t i = 0; i < n * arity; ++i)
    out.members.push_back(static_cast<std::uint32_t>(random() % n));
  for (std::size_t i = 0; i < n; ++i) out.rights.push_back(random() >> (64 - right_bits));
  return out;
}
// Regular systems are solved, and all three solvers agree on them. A result for a singular system
// is a solution.
void compare(std::size_t n, std::size_t arity, std::uint64_t seed, unsigned& regular,
             unsigned& singular) {
  const auto system = sparse_drawn(n, arity, 1 + static_cast<unsigned>(seed) % 64, seed);
  const auto expected = by_rows(system.as_rows());
  ASSERT_EQ(by_tables(system.as_rows()), expected);
  wiedemann solver;
  std::vector<std::uint64_t> values(n);
  const bool found = solver.solve(system.members, arity, system.rights, seed, values);
  if (expected.rank == n) {
    ++regular;
    ASSERT_TRUE(found) << n << ' ' << seed;
    ASSERT_EQ(values, expected.values) << n << ' ' << seed;
  } else {
    ++singular;
    ASSERT_TRUE(!found || expected.found) << n << ' ' << seed;
  }
}
TEST(Wiedemann, AgreesWithElimination) {
  unsigned regular = 0, singular = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed)
    ASSERT_NO_FATAL_FAILURE(compare(1 + seed % 40, seed % 2 == 0 ? 3 : 7, seed, regular, singular));
  EXPECT_GT(regular, 60U);
  EXPECT_GT(singular, 100U);
}
TEST(Wiedemann, AgreesOnLargerSystems) {
  unsigned regular = 0, singular = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    ASSERT_NO_FATAL_FAILURE(compare(300, 9, seed, regular, singular));
  EXPECT_GT(regular, 0U);
}
TEST(Wiedemann, EmptySystemsAndZeroRightSides) {
  wiedemann solver;
  EXPECT_TRUE(solver.solve({}, 3, {}, 1, {}));
  const auto system = sparse_drawn(20, 3, 1, 4);
  const std::vector<std::uint64_t> zeros(20);
  std::vector<std::uint64_t> values(20, 7);
  EXPECT_TRUE(solver.solve(system.members, 3, zeros, 1, values));
  EXPECT_EQ(values, zeros);
}

}  // namespace
}  // namespace large_systems
}  // namespace umbel::solve
