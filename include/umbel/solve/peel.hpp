// peel.hpp - the one peeling loop: solves sparse XOR systems whose rows touch few cells.
// Idea       A cell touched by one row can be set last, to whatever that row needs. Remove the row,
//            look for the next such cell; if every row goes, set the cells in reverse order of
//            removal.
// Invariant  The sums, the order of removal and the solution depend on the set of rows alone, never
//            on input order: additions commute and cells are visited in index order.
// Limits     Sees rows and places, never keys. Equal rows never peel: callers look for duplicates
//            after a failure. `Graph` has arity() and cells(place), an array or a short list
//            without repeats, at most arity() long.
// Source     [GL22] for the sums; [CKRT04] sec. 3 for the greedy matching it computes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <umbel/base/integers.hpp>
#include <umbel/base/prefetch.hpp>
#include <umbel/solve/row.hpp>

namespace umbel::solve {

// Adds rows into the cells they touch; false if a cell got crowded.
template <class Graph, class Row>
[[nodiscard]] bool pile(const Graph& graph, unsigned value_bits, std::span<const Row> rows,
                        std::span<Row> cells) noexcept {
  std::uint64_t seen = 0;
  for (const Row& row : rows) {
    for (const std::uint64_t at : graph.cells(row.place(value_bits))) {
      cells[at] += row;
      seen |= cells[at].token;
    }
  }
  return (seen & crowded) == 0;  // a count passes through 128 before it can wrap
}

// First in, first out, in a ring that grows when it must: the front of a peel is short and stays in
// the cache. Where the ring lies and where it begins and ends are apart from its memory, so that a
// loop keeps them in registers.
class waiting {
 public:
  using memory = std::vector<std::uint32_t>;
  explicit waiting(memory& ring) noexcept : ring_(ring.data()), mask_(ring.size() - 1) {}

  [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const noexcept { return tail_ - head_; }
  [[nodiscard]] bool has_room(std::size_t more) const noexcept {
    return size() + more <= mask_ + 1;
  }
  [[gnu::noinline]] static waiting doubled(waiting old, memory& ring) {
    memory larger(2 * ring.size());
    waiting out(larger);
    while (!old.empty()) out.offer(old.take(), true);
    ring.swap(larger);
    return out;
  }
  // Written always, kept if asked to: no branch.
  void offer(std::uint64_t cell, bool keep) noexcept {
    ring_[tail_ & mask_] = static_cast<std::uint32_t>(cell);
    tail_ += keep;
  }
  [[nodiscard]] std::uint64_t peek(std::size_t i) const noexcept {
    return ring_[(head_ + i) & mask_];
  }
  [[nodiscard]] std::uint64_t take() noexcept { return ring_[head_++ & mask_]; }

 private:
  std::uint32_t* ring_;
  std::size_t mask_;
  std::size_t head_ = 0, tail_ = 0;
};

// Removes rows until none is alone in a cell. Writes them to `order`, the probe that was alone in
// place of the count. Returns how many were removed; `order` has room for all rows, `cells` are
// left in pieces. A queue, filled from a stretch of cells at a time: the next rows are known before
// the present one is done, so their cells are loaded meanwhile. (A stack waits for every row it has
// just uncovered; it took a third longer.) Cells that a core's own cache holds, more or less, need no
// loading ahead: it took a tenth of the peel.
template <class Graph, class Row>
[[nodiscard]] std::size_t peel(const Graph& graph, unsigned value_bits, std::span<Row> cells,
                               std::span<Row> order) {
  constexpr std::size_t stretch = 256, ahead = 8, near = std::size_t{2} << 20;
  const auto alone = [](const Row& row) {
    return (row.token & ((std::uint64_t{1} << count_bits) - 1)) == 1;
  };
  const bool far = cells.size_bytes() > near;
  waiting::memory ring(4096);
  waiting queue(ring);
  std::size_t removed = 0;
  for (std::size_t first = 0; first < cells.size(); first += stretch) {
    if (!queue.has_room(stretch + 1)) [[unlikely]]
      queue = waiting::doubled(queue, ring);
    for (std::size_t at = first; at < std::min(first + stretch, cells.size()); ++at)
      queue.offer(at, alone(cells[at]));
    while (!queue.empty()) {
      // a row that is no longer alone names cells at random, hence the bound
      if (far && queue.size() > ahead) {
        for (const std::uint64_t cell : graph.cells(cells[queue.peek(ahead)].place(value_bits)))
          detail::prefetch_write(&cells[std::min<std::uint64_t>(cell, cells.size() - 1)]);
      }
      const std::uint64_t at = queue.take();
      if (!queue.has_room(graph.arity() + 1)) [[unlikely]]
        queue = waiting::doubled(queue, ring);
      Row row = cells[at];
      if (!alone(row)) continue;
      if (removed == order.size()) return removed + 1;  // more rows than were given: damaged sums
      const auto touched = graph.cells(row.place(value_bits));
      std::uint64_t probe = 0;
      for (unsigned i = 0; i < touched.size(); ++i) {
        cells[touched[i]] -= row;
        queue.offer(touched[i], alone(cells[touched[i]]));
        probe = touched[i] == at ? i : probe;
      }
      row.token ^= 1 ^ probe;
      order[removed++] = row;
    }
  }
  return removed;
}

// work(row, its cells) for every row that peel() left over, in the order of the rows; `cells` as it
// left them. A removed row left the cell it was alone in empty; those of a row that stayed are all
// taken.
template <class Graph, class Row, class Work>
void for_each_left(const Graph& graph, unsigned value_bits, std::span<const Row> rows,
                   std::span<const Row> cells, Work&& work) {
  for (const Row& row : rows) {
    const auto touched = graph.cells(row.place(value_bits));
    if (std::all_of(touched.begin(), touched.end(),
                    [&](auto cell) { return cells[cell].token != 0; }))
      work(row, touched);
  }
}

// What a row shall give: its value, or its value xor the number of the probe whose cell is its own.
// No two rows own one cell, so the latter says where something can be kept for each row that may
// change later.
enum class answer { value, value_and_probe };

// Zeros in the cells that the removed rows own, as `assign` wants them.
template <class Graph, class Row, class Cells>
void clear_owned(const Graph& graph, unsigned value_bits, std::span<const Row> order,
                 Cells&& cells) noexcept {
  for (const Row& row : order)
    cells.set(graph.cells(row.place(value_bits))[row.token & detail::low_mask(count_bits)], 0);
}

// Sets the cells so that every removed row comes out right. `Cells` has get(i) and set(i, value);
// owned ones start at zero.
template <class Graph, class Row, class Cells>
void assign(const Graph& graph, unsigned value_bits, std::span<const Row> order, Cells&& cells,
            answer wanted = answer::value) noexcept {
  const std::uint64_t said = wanted == answer::value ? 0 : ~std::uint64_t{0};
  for (std::size_t i = order.size(); i-- > 0;) {
    const Row& row = order[i];
    const auto touched = graph.cells(row.place(value_bits));
    const std::uint64_t probe = row.token & detail::low_mask(count_bits);
    std::uint64_t value = row.value(value_bits) ^ (probe & said);
    for (const std::uint64_t at : touched) value ^= cells.get(at);  // the cell itself is still zero
    cells.set(touched[probe], value);
  }
}

// The same for cells of 0 to 2, all 3 at first, which counts as 0: what a row's cells add up to,
// modulo 3, is the number of the probe whose cell is its own. Cells that no row owns stay 3, so the
// others can be counted [BPZ07]. Graphs of three cells.
template <class Graph, class Row, class Cells>
void assign_thirds(const Graph& graph, unsigned value_bits, std::span<const Row> order,
                   Cells&& cells) noexcept {
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto touched = graph.cells(order[i].place(value_bits));
    const std::uint64_t probe = order[i].token & detail::low_mask(count_bits);
    std::uint64_t rest = probe + 9;
    for (const std::uint64_t at : touched) rest -= cells.get(at);
    cells.set(touched[probe], rest % 3);
  }
}

}  // namespace umbel::solve
