// perfect.cpp - prints the figures behind sizing/perfect.hpp and sizing/division.hpp: evictions,
// failures and time of pilot searches, by load and keys per bucket; bits of coded pilots; bits and
// trials of splits, by leaf; solvable systems modulo 3, by cells per key; then bits and times of
// every preset.
// Limits     Run it as build/derive/perfect [keys of a part] [seeds] [keys of a hash] after `make
//            build`; times are of this machine.
// Source     [GK25], [GOV20].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/cells/pilots.hpp>
#include <umbel/engine/perfect/pilot_buckets.hpp>
#include <umbel/engine/retrieval/xor.hpp>
#include <umbel/set/perfect_hash.hpp>
#include <umbel/sizing/division.hpp>
#include <umbel/solve/own_cells.hpp>
#include <umbel/solve/pilots.hpp>

namespace {

using umbel::detail::remix;

struct figures {
  unsigned solved = 0;
  double evictions = 0, nanoseconds = 0, coded_bits = 0;  // per key
};
using umbel::solve::pilot_search;

figures search(std::uint32_t keys, double lambda, bool skewed, double load, unsigned seeds,
               pilot_search::width as = pilot_search::width::byte) {
  figures out;
  const auto buckets = static_cast<std::uint32_t>(keys / lambda) + 1,
             slots = static_cast<std::uint32_t>(keys / load);
  const umbel::core::pilot_buckets at(buckets, skewed);
  pilot_search pilots;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::vector<std::vector<std::uint32_t>> in(buckets);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::uint64_t word = remix(seed, i);
      in[at.bucket(word)].push_back(umbel::core::pilot_buckets::hash(word));
    }
    std::vector<std::uint32_t> starts{0}, hashes, taken(slots / 32 + 1);
    for (const auto& bucket : in) {
      hashes.insert(hashes.end(), bucket.begin(), bucket.end());
      starts.push_back(static_cast<std::uint32_t>(hashes.size()));
    }
    std::vector<std::uint32_t> found(buckets);
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = pilots.run(starts, hashes.data(), slots, seed, as, found, taken.data());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    out.solved += outcome == pilot_search::outcome::solved;
    out.coded_bits +=
        static_cast<double>(umbel::cells::coded_pilots(found, buckets, nullptr).size_in_bits()) /
        keys / seeds;
    out.evictions += static_cast<double>(pilots.evictions()) / keys / seeds;
    out.nanoseconds += took.count() / keys / seeds;
  }
  return out;
}

void print_coded(std::uint32_t keys, unsigned seeds) {
  std::printf("\ncoded pilots\nlambda  load   solved  bits per key  ns per key\n");
  for (const double lambda : {5.0, 6.0, 7.0})
    for (const double load : {0.98, 0.994}) {
      const figures f = search(keys, lambda, true, load, seeds, pilot_search::width::any);
      std::printf("%5.2f   %.3f  %2u/%u   %.3f         %.0f\n", lambda, load, f.solved, seeds,
                  f.coded_bits, f.nanoseconds);
    }
}

// A bucket of mean size, without the side lists of buckets.
void print_divisions() {
  using namespace umbel::sizing;
  std::printf("\ndivisions\nleaf  trials of a leaf  nodes per key  bits per key\n");
  for (std::uint32_t leaf = 7; leaf <= 13; ++leaf) {
    std::vector<double> nodes(division_bucket + 1);
    for (std::uint32_t keys = 2; keys <= division_bucket; ++keys) {
      nodes[keys] = 1;
      if (keys <= leaf) continue;
      for (const std::uint32_t child : children_of(keys, leaf)) nodes[keys] += nodes[child];
    }
    std::printf("%3u   %8.0f          %.3f          %.3f\n", leaf, 1 / leaf_chance(leaf),
                nodes[division_bucket] / division_bucket,
                division_bits(division_bucket, leaf)[division_bucket] / division_bucket);
  }
}

using graph = umbel::core::xor_graph<3>;
using umbel::solve::slim_row;

// Assigns cells before any elimination, row by row along chains of rows that move to another cell.
class orientation {
 public:
  orientation(const graph& at, const std::vector<slim_row>& rows)
      : at_(at), rows_(rows), owner_(at.size(), nobody), seen_(at.size(), nobody) {}
  // False if some row gets no cell.
  bool run() {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (!find_cell(row, row)) return false;
    return true;
  }
  // Whether the equations in the assigned cells have one solution.
  [[nodiscard]] bool is_regular() const {
    umbel::solve::thirds_system<std::uint32_t> square;
    square.reset(at_.size());
    for (const slim_row& row : rows_) {
      std::vector<std::uint64_t> owned;
      for (const std::uint64_t cell : at_.cells(row.place(0)))
        if (owner_[cell] != nobody) owned.push_back(cell);
      square.add(owned);
    }
    return square.reduce();
  }

 private:
  static constexpr std::size_t nobody = ~std::size_t{0};

  bool find_cell(std::size_t row, std::size_t search) {
    const auto cells = at_.cells(rows_[row].place(0));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      // A block full of owners depends on another such block.
      const std::uint64_t cell = cells[(row + i) % cells.size()];
      if (seen_[cell] == search) continue;
      seen_[cell] = search;
      if (owner_[cell] != nobody && !find_cell(owner_[cell], search)) continue;
      owner_[cell] = row;
      return true;
    }
    return false;
  }

  const graph& at_;
  const std::vector<slim_row>& rows_;
  std::vector<std::size_t> owner_, seen_;
};

void print_systems(std::uint64_t keys, unsigned seeds) {
  std::printf(
      "\nsystems modulo 3\ncells per key  independent  oriented, and then regular  ns per key\n");
  umbel::solve::own_cells<graph> solver;
  for (const double cells : {1.08, 1.085, 1.09, 1.095, 1.10, 1.11, 1.12}) {
    const graph at(
        {.block = static_cast<std::uint64_t>(cells * static_cast<double>(keys) / 3) + 1});
    unsigned solved = 0, regular = 0;
    double took = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      std::vector<slim_row> rows;
      for (std::uint64_t i = 0; i < keys; ++i)
        rows.push_back(slim_row::make(
            at.place(umbel::core::graph_words(seed)({remix(seed, i), remix(seed + 1, i)})), 0, 0));
      const auto begin = std::chrono::steady_clock::now();
      solved += solver.solve(at, rows);
      took += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                  .count();
      orientation first(at, rows);
      regular += first.run() && first.is_regular();
    }
    std::printf("%.3f          %3u/%u      %3u/%u                     %.0f\n", cells, solved, seeds,
                regular, seeds, took / static_cast<double>(keys * seeds));
  }
}

void print_presets(std::uint64_t keys) {
  std::vector<umbel::digest> all;
  for (std::uint64_t i = 0; i < keys; ++i) all.push_back({remix(1, i), remix(2, i)});
  std::vector<std::uint64_t> out(keys);
  std::printf("\n%-9s bits per key  planned  build ns  batch ns\n", "preset");
  for (std::size_t i = 0; i < umbel::perfect_preset_names.size(); ++i) {
    const auto preset = static_cast<umbel::perfect_preset>(i);
    const auto count = static_cast<double>(keys);
    const auto begin = std::chrono::steady_clock::now();
    const auto made = umbel::perfect_hash::build(all, {.preset = preset});
    const auto built = std::chrono::steady_clock::now();
    made.index_batch(all, out);
    const std::chrono::duration<double, std::nano> build = built - begin,
                                                   asked = std::chrono::steady_clock::now() - built;
    std::printf("%-9s %.3f         %.3f    %5.0f     %.1f\n", umbel::perfect_preset_names[i].data(),
                static_cast<double>(made.size_in_bits()) / count,
                umbel::perfect_hash::plan({.keys = keys, .preset = preset}).bits_per_key(),
                build.count() / count, asked.count() / count);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto keys = static_cast<std::uint32_t>(count > 1 ? std::atol(arguments[1]) : 150'000);
  const auto seeds = static_cast<unsigned>(count > 2 ? std::atol(arguments[2]) : 5);
  std::printf("lambda  buckets  load   solved  evictions per key  ns per key\n");
  for (const double lambda : {3.0, 3.5, 4.0, 4.05, 4.1})
    for (const bool skewed : {false, true}) {
      if (!skewed && lambda > 3) continue;
      for (const double load : {0.987, 0.99, 0.994, 0.998}) {
        const figures f = search(keys, lambda, skewed, load, seeds);
        std::printf("%5.2f   %-7s  %.3f  %2u/%u   %.4f             %.0f\n", lambda,
                    skewed ? "uneven" : "even", load, f.solved, seeds, f.evictions, f.nanoseconds);
      }
    }
  print_coded(keys, seeds);
  print_divisions();
  print_systems(1500, 80 * seeds);
  print_presets(count > 3 ? static_cast<std::uint64_t>(std::atoll(arguments[3])) : 1'000'000);
}
