// any.hpp - structures chosen at run time: what the tool, the server module and the plug-ins hold.
// Idea       One virtual call per batch of digests, never per key. A `kind` is a class as a value;
//            a `structure` is an object of some kind. A verb a kind does not have throws
//            bad_parameter and says which kind it was.
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

// The options of every kind; each takes those it has.
struct options {
  std::optional<std::uint64_t> keys{};
  // keys in all, members and others: for plans of exact sets
  std::optional<std::uint64_t> universe{};
  // a build of an exact set refuses a universe that misses a member
  bool members_in_universe = false;
  std::optional<unsigned> value_bits{};
  std::optional<double> fpr{};
  std::optional<std::uint64_t> bits{};
  std::optional<unsigned> probes{};
  std::optional<core::scheme> scheme{};
  std::optional<unsigned> databases{};
  std::string_view preset{};  // by name; none: the kind's default
  std::string_view form{};    // the same
  // for plans of maps: keys of each value, by value; none: not known
  std::span<const std::uint64_t> counts{};
  hasher hash{};
  std::pmr::memory_resource* memory = nullptr;
  unsigned threads = 1;
  std::optional<std::uint64_t> shard_from{};  // a seam for tests
};

class kind;
// the last: the name of a choice
using field_value = std::variant<std::uint64_t, double, std::string_view>;

class structure {
 public:
  virtual ~structure() = default;

  // How its keys were made: as its file says, or its builder. It is saved with the structure; doors
  // make keys by it.
  [[nodiscard]] const key_recipe& recipe() const noexcept { return recipe_; }
  void set_recipe(const key_recipe& keys) {
    keys.check();
    recipe_ = keys;
  }

  [[nodiscard]] virtual const any::kind& kind() const noexcept = 0;
  [[nodiscard]] virtual const hasher& hash() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size_in_bits() const noexcept = 0;
  [[nodiscard]] virtual double expected_fpr() const noexcept = 0;
  // where the structure knows
  [[nodiscard]] virtual std::optional<std::uint64_t> keys() const noexcept = 0;
  // Of an exact set: all keys that it answers exactly, members and others.
  [[nodiscard]] virtual std::optional<std::uint64_t> universe() const noexcept = 0;
  [[nodiscard]] virtual std::optional<estimate> cardinality() const noexcept = 0;
  [[nodiscard]] virtual std::vector<std::pair<std::string, field_value>> fields() const = 0;

  // The texts that a map's values stand for, value v for number v; null where values are plain
  // numbers.
  [[nodiscard]] virtual const cells::texts* names() const noexcept = 0;
  virtual void name_values(cells::texts names) = 0;

  // Throws `full` where room ran out, and says how many keys were taken: those are in.
  virtual void insert(std::span<const digest> keys) = 0;
  // How many were taken out; the others are absent, or stay because taking them out could harm
  // another key.
  virtual std::size_t erase(std::span<const digest> keys) = 0;
  // For a map: whether `find` would answer. For an exact set: whether it contains the key. For a
  // perfect hash: whether there is any key.
  virtual void may_contain(std::span<const digest> keys, std::span<bool> out) const = 0;
  // The value of every key; of a perfect hash its index.
  virtual void find(std::span<const digest> keys,
                    std::span<std::optional<std::uint64_t>> out) const = 0;
  // values[i] to keys[i]; how many keys were found, and so have a new value.
  virtual std::size_t assign(std::span<const digest> keys,
                             std::span<const std::uint64_t> values) = 0;
  // For a kind that answers with numbers: words_per_answer() words for each key, bit i of which
  // says that i is one.
  virtual void where(std::span<const digest> keys, std::span<std::uint64_t> out) const = 0;
  [[nodiscard]] virtual std::size_t words_per_answer() const = 0;
  // the single verb, which laws hold to the batch
  [[nodiscard]] virtual bool may_contain_one(digest d) const = 0;
  virtual void merge(const structure& other) = 0;
  virtual void intersect(const structure& other) = 0;
  // How the two sets overlap, for kinds that merge and tell their cardinality.
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
  // An empty one, for kinds that grow key by key.
  [[nodiscard]] virtual std::unique_ptr<structure> create(const options& options) const = 0;
  // From all keys; a map needs pairs, an exact set the universe that its members are told apart
  // from.
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
  [[nodiscard]] virtual std::unique_ptr<bench::subject> subject() const = 0;  // to be measured
};

[[nodiscard]] std::span<const kind* const> kinds() noexcept;
[[nodiscard]] const kind* find_kind(std::string_view name) noexcept;  // null: no such kind
// or bad_parameter, listing what there is
[[nodiscard]] const kind& kind_named(std::string_view name);
// one sentence: what it is, in the field's words
[[nodiscard]] std::string_view summary_of(const kind& of) noexcept;

// What a file says of itself, without reading its cells.
[[nodiscard]] codec::envelope peek(const std::string& path);
[[nodiscard]] std::unique_ptr<structure> load(const std::string& path,
                                              const load_options& options = {});
[[nodiscard]] std::unique_ptr<structure> open(const std::string& path,
                                              const load_options& options = {});

}  // namespace umbel::any
