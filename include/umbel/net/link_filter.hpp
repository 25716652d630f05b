// link_filter.hpp - zFilters (LIPSIN) [JZA09]: a delivery tree in a packet's header, forwarded
// without group state in the nodes.
//
// Every directed link has masks of a few ones. The filter of a tree is the OR of its links' masks.
// A node forwards a packet over each link whose mask the filter contains. There are several tables
// of masks; the sender uses the one with the lowest error rate.
//
// Layout     The number of the table, and the bits.
// Invariant  Every link of the tree is followed. Another link is followed with probability C(j,
//            k) / C(m, k), when the k ones of its mask are among the j ones of the header's m bits.
// Limits     With 256 bits, trees of about 35 links have an error rate of 2 to 3 %. The sender
//            rejects a header fuller than sizing::link_max_fill, and every node drops it: this
//            prevents flooding the network.
// Threads    Immutable.
// Source     [JZA09], [TRL12] sec. IV-C; formulas in sizing/network.hpp.
#pragma once

#include <cstddef>
#include <iterator>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/net/packet_mask.hpp>
#include <umbel/sizing/network.hpp>

namespace umbel::net {

template <unsigned Bits = 256>
struct link_filter {
  unsigned table = 0;
  packet_mask<Bits> bits{};
  friend bool operator==(const link_filter&, const link_filter&) = default;
};

// The masks of all links, on which all nodes and senders agree.
template <unsigned Bits = 256>
class link_tables {
 public:
  using header = link_filter<Bits>;
  static constexpr unsigned max_tables = 256;  // one byte of a header

  explicit link_tables(unsigned tables = 8, unsigned ones = 5, const hasher& hash = {})
      : tables_(tables), ones_(packet_mask<Bits>::checked(ones)), hash_(hash) {
    if (tables < 1 || tables > max_tables)
      throw bad_parameter(detail::text("tables: expected 1 to ", max_tables, ", found ", tables));
  }
  [[nodiscard]] unsigned tables() const noexcept { return tables_; }
  [[nodiscard]] unsigned ones() const noexcept { return ones_; }

  template <key Link>
  [[nodiscard]] packet_mask<Bits> mask(const Link& link, unsigned table) const noexcept {
    return packet_mask<Bits>::drawn(hash_(link), ones_, table);
  }
  // Probability that a header matches a link outside the tree.
  [[nodiscard]] double expected_fpr(const header& of) const noexcept {
    return sizing::mask_match(Bits, ones_, of.bits.ones());
  }

  // The header of a tree, under the table with the lowest error rate; among equals the first.
  // Throws `full` if the header is too full under every table.
  template <class Links>
  [[nodiscard]] header encode(const Links& tree) const {
    header best;
    for (unsigned table = 0; table < tables_; ++table) {
      header one{table, {}};
      for (const auto& link : tree) one.bits |= mask(link, table);
      // equal ones per mask: the emptiest header has the lowest error rate
      if (table == 0 || one.bits.ones() < best.bits.ones()) best = one;
    }
    if (best.bits.fill() > sizing::link_max_fill)
      throw full(detail::text("a header of ", Bits, " bits has no room for a tree of ",
                              std::distance(std::begin(tree), std::end(tree)), " links"));
    return best;
  }
  // Whether a packet is forwarded over this link.
  template <key Link>
  [[nodiscard]] bool forwards(const header& of, const Link& link) const noexcept {
    return of.bits.fill() <= sizing::link_max_fill && of.table < tables_ &&
           of.bits.contains(mask(link, of.table));
  }

 private:
  unsigned tables_, ones_;
  hasher hash_;
};

}  // namespace umbel::net
