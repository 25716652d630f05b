// any_graph.hpp - graph of a Bloomier filter [CKRT04], of a form chosen at run time: digest ->
// cells at random, one per block, or binary fuse [GL22].
//
// Idea       One engine, one file format and one kind for every graph. Each form is implemented by
//            its own class; a switch selects it, and the branch is predictable.
// Limits     Slower than a graph known at compile time; use fuse.hpp or xor.hpp for that.
// Source     [CKRT04] for random cells, [GL20], [GL22], [Wal21] for the others.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <variant>

#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/engine/retrieval/fuse.hpp>
#include <umbel/engine/retrieval/place.hpp>
#include <umbel/engine/retrieval/scattered.hpp>
#include <umbel/hash/digest.hpp>
#include <umbel/sizing/graph.hpp>

namespace umbel::core {

class any_graph {
  template <class Question>
  [[nodiscard, gnu::always_inline]] auto ask(Question&& question) const noexcept {
    if (const auto* const graph = std::get_if<fuse<3>>(&graph_)) return question(*graph);
    if (const auto* const graph = std::get_if<fuse<4>>(&graph_)) return question(*graph);
    return question(*std::get_if<scattered>(&graph_));
  }
  // Constructed in the return statement: if the list were written word by word and then copied by
  // cache lines, the copy would wait for the stores.
  template <class Graph, class... Where>
  [[nodiscard]] static cell_list listed(const Graph& graph, Where... where) noexcept {
    return cell_list(graph.cells(where...));
  }

 public:
  static constexpr std::string_view name = "graph";
  using shape = sizing::graph_shape;
  using options_type = sizing::graph_options;
  using positions = cell_list;

  any_graph() = default;
  explicit any_graph(const shape& s) noexcept {
    const sizing::fuse_shape segments{static_cast<std::uint64_t>(std::countr_zero(s.block)),
                                      s.blocks};
    if (!s.is_fuse())
      graph_ = scattered({s.arity, s.blocks, s.block});
    else if (s.arity == 3)
      graph_ = fuse<3>(segments);
    else
      graph_ = fuse<4>(segments);
  }

  // Throws bad_parameter if no graph has these options.
  static void check(const options_type& w) {
    using sizing::graph_form;
    const unsigned least = w.form == graph_form::fuse ? 3 : sizing::peel_least_arity;
    const unsigned most = w.form == graph_form::fuse ? 4 : sizing::peel_max_arity;
    if (w.form > graph_form::smallest) throw bad_parameter("graph: no such form");
    if (w.arity < least || w.arity > most)
      throw bad_parameter(detail::text("arity: expected ", least, " to ", most,
                                       " cells of a key, found ", w.arity));
    // written so that NaN fails too
    if (w.cells_per_key != 0 && !(w.cells_per_key >= 1 && w.cells_per_key <= 100))
      throw bad_parameter(detail::text(
          "cells_per_key: expected 1 to 100, or 0 for the usual, found ", w.cells_per_key));
  }
  [[nodiscard]] static shape plan(std::uint64_t keys, const options_type& w) {
    return sizing::plan_graph(keys, w);
  }
  static void check(const shape& s, auto&& require) {
    require(s.form <= static_cast<std::uint64_t>(sizing::graph_form::fuse), "form", s.form);
    if (s.is_fuse()) {
      require(s.arity == 3 || s.arity == 4, "arity", s.arity);
      require(std::has_single_bit(s.block), "block", s.block);
      const auto length_bits = static_cast<std::uint64_t>(std::countr_zero(s.block));
      const auto in_our_words = [&](bool holds, std::string_view field, std::uint64_t) {
        require(holds, field == "segments" ? "blocks" : "block",
                field == "segments" ? s.blocks : s.block);
      };
      if (s.arity == 3)
        fuse<3>::check({length_bits, s.blocks}, in_our_words);
      else
        fuse<4>::check({length_bits, s.blocks}, in_our_words);
    } else {
      const bool apart = s.form == static_cast<std::uint64_t>(sizing::graph_form::partitioned);
      scattered::check({s.arity, s.blocks, s.block}, require);
      require((s.blocks > 1) == apart, "blocks", s.blocks);
    }
  }

  [[nodiscard]] unsigned arity() const noexcept {
    return ask([](const auto& graph) { return graph.arity(); });
  }
  [[nodiscard]] std::uint64_t size() const noexcept {
    return ask([](const auto& graph) { return graph.size(); });
  }
  [[nodiscard]] std::uint64_t regions() const noexcept {
    return ask([](const auto& graph) { return graph.regions(); });
  }
  [[nodiscard]] std::uint64_t region(std::uint64_t word) const noexcept {
    return ask([=](const auto& graph) { return graph.region(word); });
  }
  [[nodiscard]] unsigned place_bits() const noexcept {
    return ask([](const auto& graph) { return graph.place_bits(); });
  }
  [[nodiscard]] std::uint64_t place(std::uint64_t word) const noexcept {
    return ask([=](const auto& graph) { return graph.place(word); });
  }
  [[nodiscard]] positions cells(std::uint64_t place) const noexcept {
    return ask([&](const auto& graph) { return listed(graph, place); });
  }
  [[nodiscard]] positions cells(std::uint64_t word, std::uint64_t base) const noexcept {
    return ask([=](const auto& graph) { return listed(graph, word, base); });
  }

 private:
  std::variant<scattered, fuse<3>, fuse<4>> graph_;
};

}  // namespace umbel::core
