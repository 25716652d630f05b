// any.hpp - structures whose kind is chosen at run time: used by the tool, the server module and
// the plug-ins.
//
// One virtual call per batch of digests, never per key. A `kind` is a class as a value; a
// `structure` is an object of some kind. A function that a kind does not have throws bad_parameter
// and names the kind.
//
// Limits     Needs libumbel_any: the registry is compiled, one translation unit per kind.
// Threads    As the structure behind it; kinds are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <umbel/any/bench.hpp>
#include <umbel/cells/texts.hpp>
#include <umbel/codec/reader.hpp>
#include <umbel/core/estimate.hpp>
#include <umbel/core/plan.hpp>
#include <umbel/core/spool.hpp>
#include <umbel/core/traits.hpp>
#include <umbel/engine/probe/scheme.hpp>
#include <umbel/hash/hasher.hpp>
#include <umbel/hash/key_recipe.hpp>

namespace umbel::any {

// The options of all kinds; each kind takes those it has.
struct options {
  std::optional<std::uint64_t> keys{};
  // number of all keys, members and others: for plans of exact sets
  std::optional<std::uint64_t> universe{};
  // whether the build of an exact set rejects a universe that lacks a member
  bool members_in_universe = false;
  std::optional<unsigned> value_bits{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  std::optional<unsigned> probes{};
  std::optional<core::scheme> scheme{};
  std::optional<unsigned> databases{};
  std::string_view preset{};  // by name; empty: the kind's default
  std::string_view form{};    // by name; empty: the kind's default
  // for plans of maps: number of keys per value; empty: not known
  std::span<const std::uint64_t> counts{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::optional<std::uint64_t> shard_from{};  // for tests
};

class kind;
// a string_view is the name of a named value
using field_value = std::variant<std::uint64_t, double, std::string_view>;

class structure {
 public:
  virtual ~structure() = default;

  // How the structure's keys were made, as its file or its builder says. Saved with the structure;
  // interfaces make keys by it.
  [[nodiscard]] const key_recipe& recipe() const noexcept { return recipe_; }
  void set_recipe(const key_recipe& keys) {
    keys.check();
    recipe_ = keys;
  }

  [[nodiscard]] virtual const any::kind& kind() const noexcept = 0;
  [[nodiscard]] virtual const hasher& hash() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size_in_bits() const noexcept = 0;
  [[nodiscard]] virtual double expected_fpr() const noexcept = 0;
  // nothing if the structure does not know
  [[nodiscard]] virtual std::optional<std::uint64_t> keys() const noexcept = 0;
  // For an exact set: number of all keys that it answers exactly, members and others.
  [[nodiscard]] virtual std::optional<std::uint64_t> universe() const noexcept = 0;
  [[nodiscard]] virtual std::optional<estimate> cardinality() const noexcept = 0;
  [[nodiscard]] virtual std::vector<std::pair<std::string, field_value>> fields() const = 0;

  // The texts that a map's values stand for, by value; null if values are plain numbers.
  [[nodiscard]] virtual const cells::texts* names() const noexcept = 0;
  virtual void name_values(cells::texts names) = 0;

  // Throws `full` if room ran out, with the number of keys that were inserted; these stay.
  virtual void insert(std::span<const digest> keys) = 0;
  // Returns the number of keys erased. The others are absent, or stay because erasing them could
  // remove another key.
  virtual std::size_t erase(std::span<const digest> keys) = 0;
  // For a map: whether `find` would answer. For an exact set: whether it contains the key. For a
  // perfect hash: whether it has any key.
  virtual void may_contain(std::span<const digest> keys, std::span<bool> out) const = 0;
  // The value of every key; for a perfect hash its index.
  virtual void find(std::span<const digest> keys,
                    std::span<std::optional<std::uint64_t>> out) const = 0;
  // Assigns values[i] to keys[i]. Returns how many keys were found, and so have a new value.
  virtual std::size_t assign(std::span<const digest> keys,
                             std::span<const std::uint64_t> values) = 0;
  // For kinds that answer with a set of numbers: words_per_answer() words per key; bit i says
  // whether i is in the set.
  virtual void where(std::span<const digest> keys, std::span<std::uint64_t> out) const = 0;
  [[nodiscard]] virtual std::size_t words_per_answer() const = 0;
  // query of a single key, which the law tests compare with the batch
  [[nodiscard]] virtual bool may_contain_one(digest d) const = 0;
  virtual void merge(const structure& other) = 0;
  virtual void intersect(const structure& other) = 0;
  // The overlap of two sets, for kinds that merge and estimate their cardinality.
  [[nodiscard]] virtual overlap overlap_with(const structure& other) const = 0;
  virtual void fold() = 0;
  virtual void clear() = 0;

  [[nodiscard]] virtual std::unique_ptr<structure> clone() const = 0;
  [[nodiscard]] virtual bool equals(const structure& other) const noexcept = 0;
  virtual void save(const std::string& path) const = 0;
  [[nodiscard]] virtual std::vector<std::byte> encode() const = 0;

 protected:
  key_recipe recipe_;
};

class kind {
 public:
  virtual ~kind() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t format_version() const noexcept = 0;
  [[nodiscard]] virtual const umbel::traits& traits() const noexcept = 0;
  // What its keys are hashed under unless the options say otherwise: the usual hash, or the one
  // that a foreign format fixes.
  [[nodiscard]] virtual hasher hash() const = 0;
  [[nodiscard]] virtual umbel::plan plan(const options& options) const = 0;
  // An empty structure, for kinds that grow key by key.
  [[nodiscard]] virtual std::unique_ptr<structure> create(const options& options) const = 0;
  // Builds from all keys. A map needs pairs; an exact set needs the universe in which its members
  // are distinguished.
  [[nodiscard]] virtual std::unique_ptr<structure> build(const digest_spool& keys,
                                                         const options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<structure> build(const pair_spool& pairs,
                                                         const options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<structure> build(const digest_spool& members,
                                                         const digest_spool& universe,
                                                         const options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<structure> load(const std::string& path,
                                                        const load_options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<structure> open(const std::string& path,
                                                        const load_options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<structure> decode(std::span<const std::byte> bytes,
                                                          const load_options& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<bench::subject> subject() const = 0;  // for measurements
};

[[nodiscard]] std::span<const kind* const> kinds() noexcept;
// null if there is no such kind
[[nodiscard]] const kind* find_kind(std::string_view name) noexcept;
// throws bad_parameter, with a list of all kinds, if there is no such kind
[[nodiscard]] const kind& kind_named(std::string_view name);
// one sentence in the literature's terms
[[nodiscard]] std::string_view summary_of(const kind& of) noexcept;

// Reads the front of a file, without its cells.
[[nodiscard]] codec::envelope peek(const std::string& path);
[[nodiscard]] std::unique_ptr<structure> load(const std::string& path,
                                              const load_options& options = {});
[[nodiscard]] std::unique_ptr<structure> open(const std::string& path,
                                              const load_options& options = {});

}  // namespace umbel::any
