// peel.hpp - peeling of sparse systems (hypergraph peeling) [GL22]: the one peeling loop of this
// library.
//
// A cell touched by one row can be set last, to whatever value that row needs. The loop removes the
// row and looks for the next such cell. If every row is removed, the cells are set in reverse order
// of removal.
//
// Invariant  The sums, the order of removal and the solution depend only on the set of rows, not on
//            input order: additions commute, and cells are visited in index order.
// Limits     Handles rows and places, never keys. Equal rows never peel: callers look for duplicate
//            keys after a failure. `Graph` has arity() and cells(place), which returns an array or
//            a short list without repeats, at most arity() long.
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

// Adds the rows into the cells they touch. Returns false if the count of a cell reached 128.
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
  return (seen & crowded) == 0;  // a count reaches 128 before it can wrap
}

// A queue in a ring buffer that grows when needed. The queue of a peel is short and stays in the
// cache. Positions are apart from the ring's memory, so that a loop keeps them in registers.
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
  // Always writes the entry and advances only if `keep`: no branch.
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

// Removes rows until no row is alone in a cell, and returns how many were removed. Writes them to
// `order`, which has room for all rows; the index of the probe that was alone replaces the count.
// `cells` is left partly consumed.
// A queue is filled from a range of cells at a time. The next rows are known before the current one
// is done, so their cells are prefetched. A stack, which waits for every row it has just uncovered,
// took a third longer. Cells that
// fit a core's own cache need no prefetching: it took a tenth of the peel.
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
      // a row that is no longer alone gives random cell indexes, hence the bound
      if (far && queue.size() > ahead) {
        for (const std::uint64_t cell : graph.cells(cells[queue.peek(ahead)].place(value_bits)))
          detail::prefetch_write(&cells[std::min<std::uint64_t>(cell, cells.size() - 1)]);
      }
      const std::uint64_t at = queue.take();
      if (!queue.has_room(graph.arity() + 1)) [[unlikely]]
        queue = waiting::doubled(queue, ring);
      Row row = cells[at];
      if (!alone(row)) continue;
      if (removed == order.size()) return removed + 1;  // more rows than given: damaged sums
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

// Calls work(row, its cells) for every row that peel() did not remove, in row order. Requires
// `cells` as peel() left them: a removed row left the cell it was alone in empty, and all cells of
// a remaining row are non-empty.
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

// What a row evaluates to: its value, or its value xor the index of its own cell among its probes.
// No two rows own one cell, so that index tells where mutable data of a row can be kept.
enum class answer { value, value_and_probe };

// Zeroes the cells that the removed rows own, as assign() requires.
template <class Graph, class Row, class Cells>
void clear_owned(const Graph& graph, unsigned value_bits, std::span<const Row> order,
                 Cells&& cells) noexcept {
  for (const Row& row : order)
    cells.set(graph.cells(row.place(value_bits))[row.token & detail::low_mask(count_bits)], 0);
}

// Back-substitution: sets the cells so that every removed row evaluates to its answer. `Cells` has
// get(i) and set(i, value); owned cells must start at zero.
template <class Graph, class Row, class Cells>
void assign(const Graph& graph, unsigned value_bits, std::span<const Row> order, Cells&& cells,
            answer wanted = answer::value) noexcept {
  const std::uint64_t said = wanted == answer::value ? 0 : ~std::uint64_t{0};
  for (std::size_t i = order.size(); i-- > 0;) {
    const Row& row = order[i];
    const auto touched = graph.cells(row.place(value_bits));
    const std::uint64_t probe = row.token & detail::low_mask(count_bits);
    std::uint64_t value = row.value(value_bits) ^ (probe & said);
    for (const std::uint64_t at : touched) value ^= cells.get(at);  // the own cell is still zero
    cells.set(touched[probe], value);
  }
}

// Back-substitution modulo 3, for graphs of three cells: the sum of a row's cells modulo 3 is the
// index of its own cell. All cells must start at 3, which counts as 0. Cells that no row owns stay
// 3, so the owned ones can be ranked [BPZ07].
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
