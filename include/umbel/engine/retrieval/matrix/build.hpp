// matrix/build.hpp - build of core::matrix [Por09]: calls the builder of the selected form through
// a value_source, so that builders do not depend on the types of records.
#pragma once

#include <umbel/core/value_source.hpp>
#include <umbel/engine/retrieval/matrix/grouped_build.hpp>
#include <umbel/engine/retrieval/matrix/matrix.hpp>
#include <umbel/engine/retrieval/matrix/single_system_build.hpp>

namespace umbel::core {

class matrix_builder {
 public:
  template <class Record, class ValueOf>
  [[nodiscard]] static matrix build(const basic_spool<Record>& keys,
                                    const matrix::build_options& options, ValueOf& value_of) {
    return build_from<value_source>(spool_values<Record, ValueOf>(keys, value_of), options);
  }

 private:
  template <class Source>
  [[nodiscard]] static matrix build_from(const Source& keys, const matrix::build_options& options) {
    matrix::check_options(options);
    matrix out;
    out.form_ = static_cast<std::uint64_t>(options.form);
    if (matrix::in_groups(options.form))
      out.grouped_ = grouped_builder<Source>::build(keys, options.for_groups());
    else
      out.single_ = single_system_builder::build(keys, options.for_one());
    return out;
  }
};

}  // namespace umbel::core
