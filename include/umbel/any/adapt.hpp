// adapt.hpp - implements the run-time interface `kind` for a class: every virtual function calls
// the class's own, if it has one.
//
// What a class can do is detected with `requires`, so a new structure needs no code here.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <variant>

#include <umbel/any/any.hpp>
#include <umbel/any/measure.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/codec/codec.hpp>
#include <umbel/core/grown.hpp>
#include <umbel/map/named_map.hpp>

namespace umbel::any {

// The visitor behind structure::fields: names and values of fields. A value that has a name is
// given by its name.
class field_lister {
 public:
  void hash(const hasher&) const noexcept {}
  void fields(std::string_view, const auto& object) {
    std::remove_cvref_t<decltype(object)>::fields(
        object, [&](std::string_view name, const auto& value, const auto&... names) {
          if constexpr (std::floating_point<std::remove_cvref_t<decltype(value)>>)
            list_.emplace_back(name, value);
          else
            list_.emplace_back(name, shown(static_cast<std::uint64_t>(value), names...));
        });
  }
  void array(std::string_view, const auto&) const noexcept {}
  template <class Item>
  void list(std::string_view name, const std::vector<Item>& items) {
    list_.emplace_back(name, std::uint64_t{items.size()});
    for (const Item& item : items) Item::describe(item, *this);
  }
  template <class Object>
  void optional(std::string_view, const Object& object) {
    if (!object.empty()) Object::describe(object, *this);
  }
  [[nodiscard]] auto take() && { return std::move(list_); }

 private:
  [[nodiscard]] static field_value shown(std::uint64_t value) { return value; }
  [[nodiscard]] static field_value shown(std::uint64_t value,
                                         std::span<const std::string_view> names) {
    if (value < names.size()) return names[static_cast<std::size_t>(value)];
    return value;
  }

  std::vector<std::pair<std::string, field_value>> list_;
};

template <class T>
class kind_of;

// A structure in memory, or a read-only one in a mapped file. One class for both, because its
// functions are most of what a kind costs to compile.
template <class T>
class structure_of final : public structure {
 public:
  structure_of(in_file<T> owned, const key_recipe& keys) : held_(std::move(owned)) {
    recipe_ = keys;
  }
  structure_of(opened<in_file<T>> mapped, const key_recipe& keys) : held_(std::move(mapped)) {
    recipe_ = keys;
  }

  [[nodiscard]] const any::kind& kind() const noexcept override { return kind_of<T>::instance(); }
  [[nodiscard]] const hasher& hash() const noexcept override { return get().hash(); }
  [[nodiscard]] std::uint64_t size_in_bits() const noexcept override {
    return get().size_in_bits();
  }
  [[nodiscard]] double expected_fpr() const noexcept override { return get().expected_fpr(); }
  [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept override {
    if constexpr (requires { get().keys(); }) return get().keys();
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> universe() const noexcept override {
    if constexpr (requires { get().universe(); }) return get().universe();
    return std::nullopt;
  }
  [[nodiscard]] std::optional<estimate> cardinality() const noexcept override {
    if constexpr (requires { get().cardinality(); }) return get().cardinality();
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::pair<std::string, field_value>> fields() const override {
    field_lister lister;
    in_file<T>::describe(get(), lister);
    return std::move(lister).take();
  }
  [[nodiscard]] const cells::texts* names() const noexcept override {
    if constexpr (requires { get().names(); })
      if (!get().names().empty()) return &get().names();
    return nullptr;
  }
  void name_values(cells::texts names) override {
    if constexpr (requires { get().names(); })
      mine("name values").name(std::move(names));
    else
      refuse("name values");
  }

  void insert(std::span<const digest> keys) override {
    if constexpr (requires(T & t) { t.insert_batch(keys); })
      core::insert_all(mine("insert"), keys);
    else
      refuse("insert");
  }
  std::size_t erase(std::span<const digest> keys) override {
    if constexpr (requires(T & t) { t.erase_batch(keys); })
      return mine("erase").erase_batch(keys);
    else
      refuse("erase");
  }
  void may_contain(std::span<const digest> keys, std::span<bool> out) const override {
    if constexpr (requires { get().may_contain_batch(keys, out); }) {
      get().may_contain_batch(keys, out);
    } else if constexpr (requires { get().contains_batch(keys, out); }) {
      get().contains_batch(keys, out);
    } else {
      std::array<std::optional<std::uint64_t>, piece> found;
      for (std::size_t first = 0; first < keys.size(); first += piece) {
        const auto part = keys.subspan(first, std::min(piece, keys.size() - first));
        find(part, found);
        for (std::size_t i = 0; i < part.size(); ++i) out[first + i] = found[i].has_value();
      }
    }
  }
  void find(std::span<const digest> keys,
            std::span<std::optional<std::uint64_t>> out) const override {
    if constexpr (requires { get().find_batch(keys, out); })
      get().find_batch(keys, out);
    else if constexpr (T::traits.answers == output::index)
      find_indices(keys, out);
    else
      refuse("find");
  }
  std::size_t assign(std::span<const digest> keys, std::span<const std::uint64_t> values) override {
    if constexpr (requires(T & t) { t.assign_batch(keys, values); })
      return mine("assign").assign_batch(keys, values);
    else
      refuse("assign");
  }
  void where(std::span<const digest> keys, std::span<std::uint64_t> out) const override {
    if constexpr (requires { get().where_batch(keys, out); })
      get().where_batch(keys, out);
    else
      refuse("tell where");
  }
  [[nodiscard]] std::size_t words_per_answer() const override {
    if constexpr (requires { get().words_per_answer(); })
      return get().words_per_answer();
    else
      refuse("tell where");
  }
  [[nodiscard]] bool may_contain_one(digest d) const override {
    if constexpr (requires { get().may_contain(d); })
      return get().may_contain(d);
    else if constexpr (requires { get().contains(d); })
      return get().contains(d);
    else if constexpr (T::traits.answers == output::index)
      return get().keys() != 0;
    else
      return get().find(d).has_value();
  }
  void merge(const structure& other) override {
    if constexpr (requires(T & t) { t.merge(t); })
      mine("merge").merge(alike(other)), join_recipe(other);
    else
      refuse("merge");
  }
  void intersect(const structure& other) override {
    if constexpr (requires(T & t) { t.intersect(t); })
      mine("intersect").intersect(alike(other)), join_recipe(other);
    else
      refuse("intersect");
  }
  [[nodiscard]] overlap overlap_with(const structure& other) const override {
    const in_file<T>& theirs = alike(other);
    if constexpr (requires { get().overlap_with(theirs); }) {
      return get().overlap_with(theirs);
    } else if constexpr (requires(T & t) { t.merge(t), t.cardinality(); }) {
      in_file<T> either(get());
      either.merge(theirs);
      return overlap_of(get().cardinality(), theirs.cardinality(), either.cardinality());
    } else {
      refuse("tell how it overlaps with another");
    }
  }
  void fold() override {
    if constexpr (requires(T & t) { t.fold(); })
      mine("fold").fold();
    else
      refuse("fold");
  }
  void clear() override {
    if constexpr (requires(T & t) { t.clear(); })
      mine("clear").clear();
    else
      refuse("clear");
  }

  [[nodiscard]] std::unique_ptr<structure> clone() const override {
    return std::make_unique<structure_of>(in_file<T>(get()), recipe_);
  }
  [[nodiscard]] bool equals(const structure& other) const noexcept override {
    return &other.kind() == &kind() && get() == static_cast<const structure_of&>(other).get();
  }
  void save(const std::string& path) const override { umbel::save(get(), path, recipe_); }
  [[nodiscard]] std::vector<std::byte> encode() const override {
    return umbel::encode(get(), recipe_);
  }

  [[nodiscard]] const in_file<T>& get() const noexcept {
    if (const auto* mapped = std::get_if<opened<in_file<T>>>(&held_)) return **mapped;
    return *std::get_if<in_file<T>>(&held_);
  }

 private:
  static constexpr std::size_t piece = 256;  // keys of a long batch that are answered together

  void find_indices(std::span<const digest> keys,
                    std::span<std::optional<std::uint64_t>> out) const {
    std::array<std::uint64_t, piece> indices;
    for (std::size_t first = 0; first < keys.size(); first += piece) {
      const auto part = keys.subspan(first, std::min(piece, keys.size() - first));
      get().index_batch(part, indices);
      for (std::size_t i = 0; i < part.size(); ++i)
        out[first + i] = get().keys() == 0 ? std::nullopt : std::optional(indices[i]);
    }
  }
  [[noreturn]] static void refuse(std::string_view verb) {
    throw bad_parameter(detail::text("a ", T::kind, " cannot ", verb));
  }
  [[nodiscard]] in_file<T>& mine(std::string_view verb) {
    if (auto* owned = std::get_if<in_file<T>>(&held_)) return *owned;
    throw bad_parameter(detail::text("cannot ", verb, " into a mapped file: load it instead"));
  }
  [[nodiscard]] const in_file<T>& alike(const structure& other) const {
    if (&other.kind() != &kind())
      throw incompatible(
          detail::text("expected another ", T::kind, ", found a ", other.kind().name()));
    if (!compatible(recipe_, other.recipe()))
      throw incompatible(detail::text("its keys were made another way: ", other.recipe().text(),
                                      " here, ", recipe_.text(), " there; build both alike"));
    return static_cast<const structure_of&>(other).get();
  }
  void join_recipe(const structure& other) noexcept { recipe_ = joined(recipe_, other.recipe()); }

  std::variant<in_file<T>, opened<in_file<T>>> held_;
};

template <class T>
class kind_of final : public kind {
 public:
  [[nodiscard]] static const kind& instance() noexcept {
    static const kind_of one;
    return one;
  }

  [[nodiscard]] std::string_view name() const noexcept override { return T::kind; }
  [[nodiscard]] std::uint32_t format_version() const noexcept override { return T::format_version; }
  [[nodiscard]] const umbel::traits& traits() const noexcept override { return T::traits; }
  [[nodiscard]] hasher hash() const override { return T().hash(); }
  [[nodiscard]] umbel::plan plan(const options& options) const override {
    return T::plan(own(options));
  }
  [[nodiscard]] std::unique_ptr<structure> create(const options& options) const override {
    if constexpr (T::traits.is_static)
      throw bad_parameter(
          detail::text("a ", T::kind, " is static: it is built from all its keys at once"));
    else
      return hold(T(own(options)));
  }
  [[nodiscard]] std::unique_ptr<structure> build(const digest_spool& keys,
                                                 const options& options) const override {
    if constexpr (requires { T::build(keys, own(options)); }) {
      return hold(T::build(keys, own(options)));
    } else if constexpr (!T::traits.is_static) {
      any::options counted = options;
      if (!options.keys && !(options.fpr && options.bits)) counted.keys = keys.size();
      T out(own(counted));
      keys.for_each(0, digest_spool::bins,
                    [&](std::span<const digest> block) { core::insert_all(out, block); });
      return hold(std::move(out));
    } else if constexpr (T::traits.exact) {
      throw bad_parameter(
          detail::text("a ", T::kind, " needs a universe: all keys that will be asked"));
    } else {
      throw bad_parameter(detail::text("a ", T::kind, " needs a value with every key"));
    }
  }
  [[nodiscard]] std::unique_ptr<structure> build(const pair_spool& pairs,
                                                 const options& options) const override {
    if constexpr (requires { T::build(pairs, own(options)); })
      return hold(in_file<T>(T::build(pairs, own(options))));
    else
      throw bad_parameter(detail::text("a ", T::kind, " holds no values"));
  }
  [[nodiscard]] std::unique_ptr<structure> build(const digest_spool& members,
                                                 const digest_spool& universe,
                                                 const options& options) const override {
    if constexpr (requires { T::build(members, universe, own(options)); })
      return hold(T::build(members, universe, own(options)));
    else
      throw bad_parameter(detail::text("a ", T::kind, " is no exact set: it takes no universe"));
  }
  [[nodiscard]] std::unique_ptr<structure> load(const std::string& path,
                                                const load_options& options) const override {
    key_recipe keys;
    auto loaded = umbel::load<in_file<T>>(path, following(options, keys));
    return hold(std::move(loaded), keys);
  }
  [[nodiscard]] std::unique_ptr<structure> open(const std::string& path,
                                                const load_options& options) const override {
    key_recipe keys;
    auto mapped = umbel::open<in_file<T>>(path, following(options, keys));
    return std::make_unique<structure_of<T>>(std::move(mapped), keys);
  }
  [[nodiscard]] std::unique_ptr<structure> decode(std::span<const std::byte> bytes,
                                                  const load_options& options) const override {
    key_recipe keys;
    auto decoded = umbel::decode<in_file<T>>(bytes, following(options, keys));
    return hold(std::move(decoded), keys);
  }
  [[nodiscard]] std::unique_ptr<bench::subject> subject() const override {
// sanitized builds: times would mean nothing, and the loops take long to compile
#if defined(UMBEL_WITHOUT_BENCH)
    throw bad_parameter("this build of umbel does not measure");
#else
    return std::make_unique<bench::subject_of<T>>();
#endif
  }

 private:
  [[nodiscard]] static std::unique_ptr<structure> hold(in_file<T> structure,
                                                       const key_recipe& keys = {}) {
    return std::make_unique<structure_of<T>>(std::move(structure), keys);
  }
  // The structure keeps the file's recipe, and its users follow it.
  [[nodiscard]] static load_options following(load_options options, key_recipe& keys) noexcept {
    options.follow = &keys;
    return options;
  }
  // The options of this kind. Throws bad_parameter for an option that it does not have.
  [[nodiscard]] static typename T::options_type own(const options& options) {
    typename T::options_type out{};
    out.hash = options.hash;
    out.memory = options.memory;
    out.threads = options.threads;
    out.keys = options.keys;
    if constexpr (requires { out.fpr; })
      out.fpr = options.fpr;
    else if (options.fpr)
      throw bad_parameter(
          detail::text("fpr: a ", T::kind,
                       T::traits.exact ? " makes no error on its universe" : " accepts every key"));
    if constexpr (requires { out.members_in_universe; })
      out.members_in_universe = options.members_in_universe;
    if constexpr (requires { out.universe; })
      out.universe = options.universe;
    else if (options.universe)
      throw bad_parameter(detail::text("universe: a ", T::kind, " has none; an exact set has"));
    if constexpr (requires { out.bits; })
      out.bits = options.bits;
    else if (options.bits)
      throw bad_parameter(detail::text("bits: the size of a ", T::kind, " follows from ",
                                       T::traits.rated() ? "its keys and fpr" : "its keys",
                                       "; leave bits out"));
    if constexpr (requires { out.probes; })
      out.probes = options.probes.value_or(out.probes);
    else if (options.probes)
      throw bad_parameter(
          detail::text("probes: a ", T::kind, " always takes the same number; leave it out"));
    if constexpr (requires { out.scheme; })
      out.scheme = options.scheme;
    else if (options.scheme)
      throw bad_parameter(detail::text("scheme: a ", T::kind, " offers no choice; leave it out"));
    if constexpr (requires { out.databases; })
      out.databases = options.databases.value_or(out.databases);
    else if (options.databases)
      throw bad_parameter(detail::text("databases: a ", T::kind, " has none; a meta-map has"));
    if constexpr (requires { out.preset; }) {
      if (!options.preset.empty() && !preset_named(options.preset, out.preset))
        throw bad_parameter(
            detail::text("preset: a ", T::kind, " has none called ", options.preset));
    } else if (!options.preset.empty()) {
      throw bad_parameter(detail::text("preset: a ", T::kind, " has no presets; leave it out"));
    }
    if constexpr (requires { form_named(options.form, out.form); }) {
      if (!options.form.empty() && !form_named(options.form, out.form))
        throw bad_parameter(detail::text("form: a ", T::kind, " has none called ", options.form));
    } else if (!options.form.empty()) {
      throw bad_parameter(detail::text("form: a ", T::kind, " has only one form; leave it out"));
    }
    // other kinds ignore them
    if constexpr (requires { out.counts; }) out.counts = options.counts;
    if constexpr (requires { out.value_bits; })
      out.value_bits = options.value_bits.value_or(out.value_bits);
    else if (options.value_bits)
      throw bad_parameter(
          detail::text("value_bits: a ", T::kind, " takes no width of values; leave it out"));
    if constexpr (requires { out.shard_from; })
      out.shard_from = options.shard_from.value_or(out.shard_from);
    return out;
  }
};

}  // namespace umbel::any
