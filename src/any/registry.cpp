// registry.cpp - the registry of kinds by name: the only file that uses the whole list, and only
// one function of each kind.
#include <umbel/any/any.hpp>
#include <umbel/base/error.hpp>
#include <umbel/base/text.hpp>
#include <umbel/codec/source.hpp>

namespace umbel::any {

#define UMBEL_KIND(folder, name, summary) const kind& kind_##name() noexcept;
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND

std::span<const kind* const> kinds() noexcept {
  static const kind* const all[] = {
#define UMBEL_KIND(folder, name, summary) &kind_##name(),
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
  };
  return all;
}

const kind* find_kind(std::string_view name) noexcept {
  for (const kind* const k : kinds())
    if (k->name() == name) return k;
  return nullptr;
}

const kind& kind_named(std::string_view name) {
  if (const kind* const found = find_kind(name)) return *found;
  std::string known;
  for (const kind* const k : kinds()) known += detail::text(known.empty() ? "" : ", ", k->name());
  throw bad_parameter(detail::text("no kind is called ", name, "; there are ", known));
}

std::string_view summary_of(const kind& of) noexcept {
  static constexpr std::string_view all[] = {
#define UMBEL_KIND(folder, name, summary) summary,
#include <umbel/any/variants.hpp>
#undef UMBEL_KIND
  };
  for (std::size_t i = 0; i < kinds().size(); ++i)
    if (kinds()[i] == &of) return all[i];
  return {};
}

codec::envelope peek(const std::string& path) {
  return codec::read_front(codec::file_source(path));
}

namespace {
const kind& kind_in(const std::string& path) {
  const auto front = peek(path);
  if (const kind* const found = find_kind(front.kind)) return *found;
  throw incompatible(detail::text(path, ": holds a ", front.kind,
                                  ", which this umbel does not know; use a newer one"));
}
}  // namespace

std::unique_ptr<structure> load(const std::string& path, const load_options& options) {
  return kind_in(path).load(path, options);
}
std::unique_ptr<structure> open(const std::string& path, const load_options& options) {
  return kind_in(path).open(path, options);
}

}  // namespace umbel::any
