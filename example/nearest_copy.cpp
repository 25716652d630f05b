// nearest_copy.cpp - attenuated Bloom filters [RK02]: a query finds a near copy by what each link
// advertises; its header holds the path back.
#include <umbel/net/attenuated_filter.hpp>
#include <umbel/net/link_filter.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t side = 12, nodes = side * side;  // a grid of nodes
constexpr unsigned depth = 4;

void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "not so: " << what << "\n";
  std::exit(1);
}
std::string link_name(std::size_t from, std::size_t to) {
  return std::to_string(from) + ">" + std::to_string(to);
}

}  // namespace

int main() {
  std::vector<std::vector<std::size_t>> links(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (i % side != 0) links[i].push_back(i - 1), links[i - 1].push_back(i);
    if (i >= side) links[i].push_back(i - side), links[i - side].push_back(i);
  }
  const auto link_to = [&](std::size_t from, std::size_t to) {
    unsigned link = 0;
    while (links[from][link] != to) ++link;
    return link;
  };

  // Every node has ten objects of its own; one song is at two nodes. The nodes exchange
  // advertisements `depth` times.
  const umbel::net::signature agreed({.keys = 200, .fpr = 0.01});  // sized for the deepest level
  std::vector<umbel::net::attenuated_filter> node(nodes, {agreed, depth});
  const std::size_t holders[] = {5 * side + 5, 11 * side};
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < links[i].size(); ++j) node[i].add_link();
    for (int o = 0; o < 10; ++o)
      node[i].insert("object " + std::to_string(10 * i + std::size_t(o)));
  }
  for (const std::size_t i : holders) node[i].insert("song");
  for (unsigned round = 0; round < depth; ++round)
    for (std::size_t i = 0; i < nodes; ++i)
      for (const std::size_t to : links[i])
        node[to].accept(link_to(to, i), node[i].advertisement(link_to(i, to)));

  const std::size_t start = 3 * side + 4;
  const auto went = umbel::net::route(
      start, "song", [&](std::size_t i) -> const auto& { return node[i]; },
      [&](std::size_t i, unsigned link) { return links[i][link]; },
      [&](std::size_t i) { return i == holders[0] || i == holders[1]; });
  require(went.found, "the song is found");
  std::cout << "found at node " << went.path.back() << " after " << went.moves << " moves, "
            << went.returns << " of them back; the deepest level is at most "
            << 100 * node[start].fill(depth) << " % full\n";

  // The holder answers along the reversed path. Its links are in the header, so no node keeps
  // state.
  std::vector<std::string> way;
  for (std::size_t i = 1; i < went.path.size(); ++i)
    way.push_back(link_name(went.path[i], went.path[i - 1]));
  const umbel::net::link_tables<> tables;
  const auto header = tables.encode(way);
  for (const std::string& link : way) require(tables.forwards(header, link), "the answer arrives");
  std::cout << "answered over " << way.size() << " links; others are taken at "
            << tables.expected_fpr(header) << "\n";
}
