// coded_map.ipp - bodies of coded_map.hpp: queries, the check of a layout, plans and builds.
#pragma once

#include <utility>
#include <vector>

#include <umbel/base/ring.hpp>
#include <umbel/engine/retrieval/histogram.hpp>
#include <umbel/engine/retrieval/peeled_build.hpp>
#include <umbel/engine/retrieval/ribbon/build.hpp>
#include <umbel/engine/retrieval/tagged.hpp>
#include <umbel/map/coded_map.hpp>

namespace umbel {

namespace detail {

// The fingerprint in the filter of keys whose value is not the dominant one. It is independent of
// the check bits.
inline std::uint64_t filter_tag(digest d, std::uint64_t bits) noexcept {
  constexpr remixer words{salt_of(stage::tag, 1)};
  return words(d).first() >> (64 - bits);
}

// One bit of one key's code, a record of the staggered graph.
struct code_bit {
  digest key;
  std::uint32_t step = 0;
  std::uint32_t bit = 0;
  friend auto operator<=>(const code_bit&, const code_bit&) = default;
};
inline digest key_of(const code_bit& b) noexcept { return b.key; }

// The words of a ribbon for these keys. The only instance of the loop over a ribbon, to keep
// programs small.
template <class Ribbon>
void read_ribbon(const Ribbon& from, std::span<const digest> keys, std::uint64_t* words) noexcept {
  from.values(
      keys.size(), digest_list{keys.data()}, [](digest) { return std::uint64_t{0}; },
      [words](std::size_t i, std::uint64_t, std::uint64_t word) { words[i] = word; });
}

}  // namespace detail

// ---- queries ----

UMBEL_INLINE std::optional<std::uint64_t> core::coded_values::unchecked(
    std::size_t part, std::uint64_t word, digest d, bool checked) const noexcept {
  if (!is_joined(part)) return word;
  const unsigned width = parts_[part].width() - static_cast<unsigned>(check_bits_);
  word ^= core::tag_of(d, static_cast<unsigned>(check_bits_)) << width;
  if (checked && word >> width != 0) return std::nullopt;
  return word & detail::low_mask(width);
}

UMBEL_INLINE std::optional<std::uint64_t> core::coded_values::answer(digest d,
                                                                     bool checked) const noexcept {
  if (keys_ == 0) return std::nullopt;
  if (layout_.check != nowhere && checked &&
      parts_[layout_.check].value(d) != core::tag_of(d, static_cast<unsigned>(check_bits_)))
    return std::nullopt;
  if (layout_.filter != nowhere &&
      parts_[layout_.filter].value(d) != detail::filter_tag(d, filter_bits_))
    return dominant_;
  std::uint64_t bits = 0;
  unsigned known = 0, before = 0;
  if (graph_.keys() != 0) {
    known = code_.longest();
    bits = graph_.bits_at(graph_.locate(d).cells, known);
  }
  // the last chunk ends the longest code
  for (unsigned chunk = 0; !code_.is_whole(bits, known); ++chunk) {
    const std::size_t part = layout_.first + chunk;
    const auto word = unchecked(part, parts_[part].value(d), d, checked);
    if (!word) return std::nullopt;
    before = std::exchange(known, known + layout_.width[chunk]);
    bits |= *word << (code_.longest() - known);
  }
  const std::uint64_t number = code_.number(bits, before);
  if (!code_.is_escape(number)) return code_.symbol(number);
  return unchecked(layout_.literal, parts_[layout_.literal].value(d), d, checked);
}

// Ribbon by ribbon, with the keys that have no answer yet.
template <class Answers>
void core::coded_values::answer_group(std::span<const digest> keys, bool checked,
                                      Answers& out) const noexcept {
  struct waiting {
    std::array<digest, group> keys;
    std::array<std::uint16_t, group> at;
    std::size_t size = 0;
    void add(digest d, std::uint16_t i) noexcept {
      keys[size] = d;
      at[size++] = i;
    }
    [[nodiscard]] std::span<const digest> span() const noexcept { return {keys.data(), size}; }
  };
  waiting open, literal;
  std::array<std::uint64_t, group> words, bits;
  const auto settle = [&](std::uint16_t i, std::uint64_t value) {
    out.value[i] = value;
    out.found[i] = true;
  };
  // keep(word, digest, position) returns whether the key goes on to the next ribbon.
  const auto pass = [&](std::size_t part, auto&& keep) {
    detail::read_ribbon(parts_[part], open.span(), words.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < open.size; ++i) {
      const digest d = open.keys[i];
      const std::uint16_t at = open.at[i];
      open.keys[kept] = d;
      open.at[kept] = at;
      kept += keep(words[i], d, at);
    }
    open.size = kept;
  };
  const auto decode = [&](digest d, std::uint16_t i, unsigned before) {
    const std::uint64_t number = code_.number(bits[i], before);
    if (code_.is_escape(number))
      literal.add(d, i);
    else
      settle(i, code_.symbol(number));
  };

  for (std::size_t i = 0; i < keys.size(); ++i) {
    open.add(keys[i], static_cast<std::uint16_t>(i));
    out.found[i] = false;
    out.value[i] = bits[i] = 0;
  }
  if (keys_ == 0) return;
  if (layout_.check != nowhere && checked)
    pass(layout_.check, [&](std::uint64_t word, digest d, std::uint16_t) {
      return word == core::tag_of(d, static_cast<unsigned>(check_bits_));
    });
  if (layout_.filter != nowhere)
    pass(layout_.filter, [&](std::uint64_t word, digest d, std::uint16_t i) {
      const bool passes = word == detail::filter_tag(d, filter_bits_);
      if (!passes) settle(i, dominant_);
      return passes;
    });
  unsigned known = 0;
  if (graph_.keys() != 0) {
    known = code_.longest();
    using place = core::staggered::positions;
    detail::ring<place>(
        open.size,
        [&](std::size_t i, place& p) {
      p = graph_.locate(open.keys[i]).cells;
      graph_.prefetch(p);
        },
        [&](std::size_t i, const place& p) { bits[open.at[i]] = graph_.bits_at(p, known); });
  }
  if (code_.is_whole(0, known) || graph_.keys() != 0) {  // without chunks
    for (std::size_t i = 0; i < open.size; ++i) decode(open.keys[i], open.at[i], 0);
    open.size = 0;
  }
  for (unsigned chunk = 0; chunk < layout_.chunks && open.size != 0; ++chunk) {
    const unsigned before = std::exchange(known, known + layout_.width[chunk]);
    const std::size_t part = layout_.first + chunk;
    pass(part, [&](std::uint64_t word, digest d, std::uint16_t i) {
      const auto content = unchecked(part, word, d, checked);
      if (!content) return false;
      bits[i] |= *content << (code_.longest() - known);
      if (!code_.is_whole(bits[i], known)) return true;
      decode(d, i, before);
      return false;
    });
  }
  if (literal.size == 0) return;
  detail::read_ribbon(parts_[layout_.literal], literal.span(), words.data());
  for (std::size_t i = 0; i < literal.size; ++i)
    if (const auto value = unchecked(layout_.literal, words[i], literal.keys[i], checked))
      settle(literal.at[i], *value);
}

// ---- layout ----

UMBEL_INLINE coded_form core::coded_values::form_of() const noexcept {
  if (graph_.keys() != 0) return coded_form::coded;
  if (filter_bits_ != 0) return coded_form::dominant;
  if (keys_ == 0 || (code_.has_escape() && code_.longest() == 0)) return coded_form::plain;
  const bool flat = code_.codes(code_.longest()) >> code_.longest() != 0;
  return code_.has_escape() && flat ? coded_form::escape : coded_form::coded_small;
}

UMBEL_INLINE core::coded_values::layout core::coded_values::laid_out() const {
  layout out;
  std::uint8_t next = 0;
  // The number of the next ribbon, which must have `width` bits per key and `least` to `most` keys.
  const auto take = [&](unsigned width, std::uint64_t least, std::uint64_t most) {
    if (next == parts_.size())
      throw corrupt(detail::text("coded: expected more than ", parts_.size(), " ribbons"));
    const core::ribbon& part = parts_[next];
    core::ribbon::require_values(part.preset());
    if (part.width() != width || part.keys() < least || part.keys() > most)
      throw corrupt(detail::text("coded: ribbon ", next, " has ", part.keys(), " values of ",
                                 part.width(), " bits, expected ", least, " to ", most, " of ",
                                 width));
    return next++;
  };
  const auto check_bits = static_cast<unsigned>(check_bits_);
  const bool has_chunks = graph_.keys() == 0 && code_.longest() != 0;
  const bool joins = sizing::check_is_joined(form()) && (has_chunks || code_.has_escape());
  // least number of keys in the first ribbon: not all keys pass a filter
  const std::uint64_t every = filter_bits_ == 0 ? keys_ : 1;
  if (check_bits != 0 && !joins) out.check = take(check_bits, keys_, keys_);
  if (filter_bits_ != 0) out.filter = take(static_cast<unsigned>(filter_bits_), 1, keys_);
  out.first = next;
  std::uint64_t most = keys_;
  for (unsigned known = 0; has_chunks && known < code_.longest();) {
    const unsigned more = joins && known == 0 ? check_bits : 0;
    const unsigned width = next == parts_.size() ? 0 : parts_[next].width();
    if (width <= more || width - more > code_.longest() - known)
      throw corrupt(detail::text("coded: a chunk of ", width, " bits does not fit the code"));
    most = parts_[take(width, known == 0 ? every : 1, most)].keys();
    out.width[out.chunks++] = static_cast<std::uint8_t>(width - more);
    known += width - more;
  }
  if (code_.has_escape()) {
    const bool all = code_.longest() == 0;  // no value has a code: all are literal
    out.literal = take(value_bits() + (joins && all ? check_bits : 0), all ? every : 1, keys_);
  }
  if (next != parts_.size())
    throw corrupt(detail::text("coded: expected ", next, " ribbons, found ", parts_.size()));
  return out;
}

UMBEL_INLINE void core::coded_values::check() {
  const auto require = [](bool holds, std::string_view field, std::uint64_t found) {
    if (!holds)
      throw corrupt(detail::text("coded: field ", field, " has the impossible value ", found));
  };
  require(value_bits_ >= 1 && value_bits_ <= 64, "value_bits", value_bits_);
  require(check_bits_ <= 64 - value_bits_, "check_bits", check_bits_);
  require(filter_bits_ <= sizing::max_filter_bits, "filter_bits", filter_bits_);
  require(keys_ <= core::max_keys, "keys", keys_);
  require(dominant_ <= (filter_bits_ == 0 ? 0 : detail::low_mask(value_bits())), "dominant",
          dominant_);
  code_.check(value_bits());
  parts_.check();
  if (form() == coded_form::coded) {
    graph_.check();
    require(graph_.keys() != 0 && graph_.width() == 1, "width", graph_.width());
    require(graph_.shape().reach == code_.longest(), "reach", graph_.shape().reach);
    require(filter_bits_ == 0, "filter_bits", filter_bits_);
    // every code has a bit, unless there is only one code
    require(keys_ <= graph_.keys(), "keys", keys_);
  }
  require((keys_ == 0) == (code_.codes() == 0), "keys", keys_);
  require(keys_ != 0 || (check_bits_ == 0 && filter_bits_ == 0), "keys", keys_);
  require(form_ == static_cast<std::uint64_t>(form_of()), "form", form_);
  layout_ = laid_out();
}

// ---- planning and building ----

template <class Options>
umbel::plan coded_map::plan(const std::type_identity_t<Options>& options) {
  core::ribbon::require_values(options.preset);
  const unsigned width = core::value_and_tag_bits(options.value_bits, options.fpr);
  std::vector<std::uint64_t> counts(options.counts.begin(), options.counts.end());
  std::uint64_t counted = 0;
  for (const std::uint64_t c : counts) counted += c;
  const bool ranked = std::is_sorted(counts.begin(), counts.end(), sizing::detail::falls);
  if (!ranked) std::sort(counts.begin(), counts.end(), sizing::detail::falls);
  while (!counts.empty() && (counts.back() == 0 || counts.size() > sizing::max_codes))
    counts.pop_back();
  const std::uint64_t n = options.keys.value_or(counted);
  core::check_keys(n);
  if (n < counted)
    throw bad_parameter(detail::text("counts: ", counted, " values for ", n, " keys"));
  if (n == 0) return {};
  const sizing::coded_counts known{counts,
                                   n,
                                   options.value_bits,
                                   width - options.value_bits,
                                   ranked,
                                   options.preset,
                                   options.shard_from};
  auto price = options.form ? sizing::price_coded(known, *options.form) : std::nullopt;
  if (!price) price = sizing::choose_coded(known);
  return {.keys = n,
          .cells = price->bits,
          .probes = 1,
          .bits = price->bits,
          .fpr = std::exp2(-static_cast<double>(known.check_bits)),
          .form = name_of(price->form)};
}

template <class Spool>
class core::coded_values::builder {
 public:
  builder(const Spool& pairs, const coded_map_options& options)
      : options_(options), all_(pairs.distinct(options.threads)) {
    core::ribbon::require_values(options.preset);
    const unsigned width = core::value_and_tag_bits(options.value_bits, options.fpr);
    out_.value_bits_ = options.value_bits;
    out_.keys_ = all_.size();
    if (out_.keys_ != 0) out_.check_bits_ = width - options.value_bits;
  }

  [[nodiscard]] coded_values build() {
    if (all_.size() == 0) return std::move(out_);
    values_ = core::count_values(all_, options_.threads);
    refuse_misfits();
    const auto counts = values_.counts();
    const auto known = known_of(counts, values_.keys, values_.is_ranked());
    auto price = options_.form ? sizing::price_coded(known, *options_.form) : std::nullopt;
    if (!price) price = sizing::choose_coded(known);
    const bool alone = !sizing::check_is_joined(price->form) ||
                       (price->code.longest() == 0 && !price->code.escape);
    if (out_.check_bits_ != 0 && alone)
      made_.push_back(ribbon_of(all_, check_bits(), {*this, part::check}));
    joined_bits_ = alone ? 0 : check_bits();
    switch (price->form) {
      case coded_form::dominant: build_dominant(price->filter_bits); break;
      case coded_form::coded: build_graph(price->code); break;
      default: build_chunks(all_, price->code); break;
    }
    out_.parts_ = core::bundle<core::ribbon>(made_, options_.memory);
    made_.clear();
    out_.form_ = static_cast<std::uint64_t>(out_.form_of());
    out_.layout_ = out_.laid_out();
    return std::move(out_);
  }

 private:
  [[nodiscard]] unsigned check_bits() const noexcept {
    return static_cast<unsigned>(out_.check_bits_);
  }
  [[nodiscard]] std::uint64_t tag(digest d) const noexcept { return core::tag_of(d, check_bits()); }
  [[nodiscard]] sizing::coded_counts known_of(std::span<const std::uint64_t> counts,
                                              std::uint64_t keys, bool ranked) const {
    return {counts,
            keys,
            options_.value_bits,
            check_bits(),
            ranked,
            options_.preset,
            options_.shard_from};
  }

  // Throws for values that do not fit: they would change check bits. Builds from a range of pairs
  // have checked this before, with the key in the message.
  void refuse_misfits() const {
    const std::uint64_t largest = detail::low_mask(options_.value_bits);
    all_.for_each(0, Spool::bins, [&](std::span<const core::valued> block) {
      for (const core::valued& v : block)
        if (v.value > largest) throw bad_parameter(core::misfit(v.value, largest));
    });
  }

  // What a ribbon stores of a key. One type for all ribbons, since each type compiles a solver of
  // its own.
  enum class part { check, filter, chunk, literal };
  struct word_of {
    const builder& from;
    part what;
    unsigned end = 0, width = 0;  // of a chunk: end of its code bits, and their number
    unsigned joined = 0;          // check bits above them

    [[nodiscard]] std::uint64_t operator()(const core::valued& v) const {
      switch (what) {
        case part::check: return from.tag(v.key);
        case part::filter: return detail::filter_tag(v.key, from.out_.filter_bits_);
        case part::chunk:
          return with_check(from.lookup(v.value).code.bits >> (from.out_.code_.longest() - end) &
                                detail::low_mask(width),
                            width, v);
        default: return with_check(v.value, from.options_.value_bits, v);
      }
    }
    [[nodiscard]] std::uint64_t with_check(std::uint64_t word, unsigned bits,
                                           const core::valued& v) const {
      return joined == 0 ? word : word | from.tag(v.key) << bits;
    }
  };
  [[nodiscard]] core::ribbon ribbon_of(const Spool& keys, unsigned width,
                                       const word_of& words) const {
    return core::ribbon::build(keys,
                               {.width = width,
                                .preset = options_.preset,
                                .memory = options_.memory,
                                .threads = options_.threads,
                                .shard_from = options_.shard_from},
                               words);
  }

  // Assigns codes to the most frequent of `values`. They are sorted by frequency and code lengths
  // do not decrease in that order, so each length takes the next ones.
  void set_code(const sizing::code_shape& shape, std::span<const core::value_count> values) {
    std::vector<std::uint64_t> symbols;
    for (unsigned length = 0; length < shape.codes.size(); ++length) {
      const auto first = static_cast<std::ptrdiff_t>(symbols.size());
      for (std::uint64_t i = shape.codes[length] - (shape.escape == length); i > 0; --i)
        symbols.push_back(values[symbols.size()].value);
      std::sort(symbols.begin() + first, symbols.end());
    }
    out_.code_ =
        core::prefix_code(shape.codes, shape.escape, symbols, options_.value_bits, options_.memory);
    book_.clear();
    for (std::uint64_t i = 0; i < symbols.size(); ++i)
      book_.push_back({symbols[i], out_.code_.code_of(i + (i >= out_.code_.escape_number()))});
    std::sort(book_.begin(), book_.end(),
              [](const entry& a, const entry& b) { return a.value < b.value; });
    if (shape.escape) escape_ = out_.code_.code_of(out_.code_.escape_number());
  }
  struct entry {
    std::uint64_t value;
    core::prefix_code::code code;
  };
  struct found {
    core::prefix_code::code code;
    bool escapes;
  };
  [[nodiscard]] found lookup(std::uint64_t value) const {
    const auto known =
        std::lower_bound(book_.begin(), book_.end(), value,
                         [](const entry& e, std::uint64_t wanted) { return e.value < wanted; });
    return known == book_.end() || known->value != value ? found{escape_, true}
                                                         : found{known->code, false};
  }

  void build_chunks(const Spool& keys, const sizing::code_shape& shape) {
    set_code(shape, values_.values);
    const bool straight = out_.code_.longest() == 0;  // all values are literal
    Spool literal = keys.emptied(), rest;
    const Spool* todo = &keys;
    unsigned known = 0;
    for (const unsigned width : shape.chunks) {
      const unsigned end = known + width, joined = known == 0 ? joined_bits_ : 0;
      made_.push_back(ribbon_of(*todo, width + joined, {*this, part::chunk, end, width, joined}));
      Spool next = keys.emptied();
      each(*todo, [&](const core::valued& v) {
        const found f = lookup(v.value);
        if (f.code.length > end)
          next.add(v);
        else if (f.escapes)
          literal.add(v);
      });
      rest = std::move(next);
      todo = &rest;
      known = end;
    }
    if (!shape.escape) return;
    const unsigned joined = straight ? joined_bits_ : 0;
    made_.push_back(ribbon_of(straight ? keys : literal, options_.value_bits + joined,
                              {*this, part::literal, 0, 0, joined}));
  }

  // Keys with another value than the dominant one go into a filter; then all keys that pass it are
  // coded.
  void build_dominant(unsigned bits) {
    const core::value_count first = values_.values.front();
    out_.filter_bits_ = bits;
    out_.dominant_ = first.value;
    Spool others = all_.emptied(), passing = all_.emptied();
    each(all_, [&](const core::valued& v) {
      if (v.value != first.value) others.add(v);
    });
    made_.push_back(ribbon_of(others, bits, {*this, part::filter}));
    others = Spool();
    const core::ribbon& filter = made_.back();
    std::vector<digest> keys;
    std::vector<std::uint64_t> words;
    all_.for_each(0, Spool::bins, [&](std::span<const core::valued> block) {
      keys.clear();
      for (const core::valued& v : block) keys.push_back(v.key);
      words.resize(block.size());
      detail::read_ribbon(filter, keys, words.data());
      for (std::size_t i = 0; i < block.size(); ++i)
        if (words[i] == detail::filter_tag(keys[i], bits)) passing.add(block[i]);
    });
    values_ = core::count_values(passing, options_.threads);
    const auto counts = values_.counts();
    const auto known = known_of(counts, passing.size(), values_.is_ranked());
    build_chunks(passing, sizing::price_code(known, sizing::code_kind::huffman, false)->code);
  }

  void build_graph(const sizing::code_shape& shape) {
    set_code(shape, values_.values);
    core::basic_spool<detail::code_bit> bits(all_.options());
    Spool literal = all_.emptied();
    each(all_, [&](const core::valued& v) {
      const found f = lookup(v.value);
      const unsigned longest = out_.code_.longest();
      for (std::uint32_t i = 1; i <= f.code.length; ++i)
        bits.add(detail::code_bit{v.key, longest - i,
                                  static_cast<std::uint32_t>(f.code.bits >> (longest - i) & 1)});
      if (f.escapes) literal.add(v);
    });
    if (bits.size() != 0)
      out_.graph_ = graph::build(
          bits,
          {.width = 1,
           .graph = {.reach = out_.code_.longest()},
           .memory = options_.memory,
           .threads = options_.threads,
           .shard_from = options_.shard_from},
          [](const detail::code_bit& b, std::uint64_t) { return std::uint64_t{b.bit}; });
    if (shape.escape)
      made_.push_back(ribbon_of(literal, options_.value_bits, {*this, part::literal}));
  }

  template <class Work>
  static void each(const Spool& keys, Work&& work) {
    keys.for_each(0, Spool::bins, [&](std::span<const core::valued> block) {
      for (const core::valued& v : block) work(v);
    });
  }

  const coded_map_options& options_;
  Spool all_;
  core::histogram values_;
  unsigned joined_bits_ = 0;
  std::vector<entry> book_;  // sorted by value
  core::prefix_code::code escape_{};
  std::vector<core::ribbon> made_;
  coded_values out_;
};

template <class Spool>
core::coded_values core::coded_values::build(const Spool& pairs, const coded_map_options& options) {
  return builder<Spool>(pairs, options).build();
}

#if defined(UMBEL_BODIES)
template core::coded_values core::coded_values::build<pair_spool>(const pair_spool&,
                                                                  const coded_map_options&);
template umbel::plan coded_map::plan<coded_map_options>(const coded_map_options&);
template void core::coded_values::answer_group<core::coded_values::group_answers>(
    std::span<const digest>, bool, group_answers&) const noexcept;
#endif

}  // namespace umbel
