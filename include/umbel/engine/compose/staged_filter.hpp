// staged_filter.hpp - scalable filters [ABPH07] (engine/compose/staged.hpp): one class template
// over their series.
//
// Invariant  No key is lost. The rates of all stages add up to at most the requested rate.
// Threads    Many readers or one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <umbel/core/keyed.hpp>
#include <umbel/core/ordered_build.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spooled.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/compose/staged.hpp>

namespace umbel::core {

template <class Series>
class staged_filter : public keyed<staged<Series>> {
  using base = keyed<staged<Series>>;

 public:
  using options_type = typename Series::options_type;
  static constexpr std::string_view kind = Series::kind;
  static constexpr std::uint32_t format_version = 1;
  static constexpr umbel::traits traits{.of = family::set,
                                        .mergeable = true,
                                        .expands = true,
                                        .order_dependent = true,
                                        .lines = Series::lines};

  staged_filter() = default;
  explicit staged_filter(const options_type& options)
      : staged_filter(Series::fitted(options), options) {}

  // Inserts in the order of digests: equal sets give equal bytes.
  template <key_range Keys>
  [[nodiscard]] static staged_filter build(const Keys& keys, const options_type& options) {
    return build(spool_of(keys, options.hash, options.threads), options);
  }
  // a template, so that only programs that build this way compile the sorting
  template <class Spool = digest_spool>
  [[nodiscard]] static staged_filter build(const std::type_identity_t<Spool>& keys,
                                           const options_type& options) {
    return build_in_order<staged_filter>(keys, options);
  }
  // The plan of the first stage, which has room for the expected keys.
  [[nodiscard]] static umbel::plan plan(const options_type& options) {
    return Series::fitted(options).made;
  }

  [[nodiscard]] std::size_t stages() const noexcept { return base::engine().stages().size(); }
  [[nodiscard]] double requested_fpr() const noexcept { return base::engine().series().fpr(); }

 private:
  using fit = decltype(Series::fitted(options_type()));
  staged_filter(const fit& made, const options_type& options)
      : base(options.hash,
             staged<Series>(made.series, typename Series::engine(made.first, options.memory))) {}
};

}  // namespace umbel::core
