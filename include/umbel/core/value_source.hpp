// value_source.hpp - the records of any spool, as digests with the values to store: for builders
// that are compiled once.
//
// Idea       The value of a record depends on the structure: a fingerprint, or a value and its
//            check. With one virtual call per block of records, a builder does not depend on these
//            types and is compiled into the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <umbel/core/spool.hpp>

namespace umbel::core {

class value_source {
 public:
  virtual ~value_source() = default;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  // work(a source without duplicates). Throws digest_conflict if one key has two values.
  template <class Work>
  void with_distinct(unsigned threads, Work&& work) const {
    lend_distinct(
        threads,
        [](void* context, const value_source& once) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(once);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }
  // The options for another spool of the same records.
  [[nodiscard]] virtual const spool_options& options() const noexcept = 0;

  // work(span of valued) for every block of bins [first, last).
  template <class Work>
  void for_each(std::size_t first, std::size_t last, Work&& work) const {
    read(
        first, last,
        [](void* context, std::span<const valued> block) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(block);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 protected:
  using sink = void (*)(void* context, std::span<const valued> block);
  using borrower = void (*)(void* context, const value_source& once);
  virtual void read(std::size_t first, std::size_t last, sink to, void* context) const = 0;
  virtual void lend_distinct(unsigned threads, borrower to, void* context) const = 0;
};

// The values of a spool, which must outlive this object.
template <class Record, class ValueOf>
class spool_values final : public value_source {
 public:
  spool_values(const basic_spool<Record>& keys, const ValueOf& value_of)
      : keys_(&keys), value_of_(value_of) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return keys_->size(); }
  [[nodiscard]] const spool_options& options() const noexcept override { return keys_->options(); }

 private:
  void read(std::size_t first, std::size_t last, sink to, void* context) const override {
    std::vector<valued> values;
    keys_->for_each(first, last, [&](std::span<const Record> block) {
      values.clear();
      for (const Record& record : block) values.push_back({key_of(record), value_of_(record)});
      to(context, values);
    });
  }
  void lend_distinct(unsigned threads, borrower to, void* context) const override {
    const basic_spool<Record> once = keys_->distinct(threads);
    to(context, spool_values(once, value_of_));
  }

  const basic_spool<Record>* keys_;
  ValueOf value_of_;
};

}  // namespace umbel::core
