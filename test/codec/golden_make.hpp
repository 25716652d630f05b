// golden_make.hpp - makes the golden file of a set: its keys, its bytes, and its answers as JSON.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <umbel/codec/codec.hpp>
#include <umbel/hash/hasher.hpp>

#include "golden_cases.hpp"
#include "golden_keys.hpp"

namespace golden {

using umbel::digest;
using umbel::hasher;

struct group {  // so many members of one type
  key_type type;
  std::uint64_t members;
};
inline constexpr std::uint64_t tried = 40'000, max_true = 6, max_false = 12;  // non-members

inline constexpr umbel::secret_key secret = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

inline std::string shown(const hasher& hash) {
  if (hash.kind() == umbel::hash_kind::parquet) return R"({"name": "parquet"})";
  if (hash.kind() == umbel::hash_kind::md5) return R"({"name": "md5"})";
  if (hash.kind() == umbel::hash_kind::crc) return R"({"name": "crc"})";
  if (hash.kind() == umbel::hash_kind::fnv) return R"({"name": "fnv"})";
  if (hash.is_keyed())
    return R"({"name": "siphash", "key_hex": "000102030405060708090a0b0c0d0e0f"})";
  return R"({"name": "xxh3", "seed": ")" + std::to_string(hash.seed()) + "\"}";
}
inline std::string listed(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + item;
  return out + "]";
}
inline std::string object(const std::string& name, std::string_view kind, const std::string& what,
                          const hasher& hash, const std::string& built_with,
                          const std::vector<std::string>& keys) {
  std::ostringstream out;
  out << "{\"file\": " << in_quotes(name) << ", \"kind\": " << in_quotes(kind)
      << ",\n     \"what\": " << in_quotes(what) << ",\n     \"hash\": " << shown(hash)
      << ", \"built_with\": " << built_with << ",\n     \"keys\": [";
  for (std::size_t i = 0; i < keys.size(); ++i) out << (i == 0 ? "" : ",\n       ") << keys[i];
  out << "]}";
  return out.str();
}

template <class Set>
std::string answers_of(const Set& set, const group& g) {
  std::vector<std::string> members, yes, no;
  for (std::uint64_t i = 0; i < g.members; ++i)
    members.push_back(in_quotes(key_number(g.type, i, false)));
  for (std::uint64_t i = 0; i < tried && (yes.size() < max_true || no.size() < max_false); ++i) {
    const auto key = key_number(g.type, i, true);
    const digest d = digest_of(set.hash(), g.type, key);
    bool said;
    if constexpr (requires { set.contains(d); })
      said = set.contains(d);
    else
      said = set.may_contain(d);
    auto& answered = said ? yes : no;
    if (answered.size() < (&answered == &yes ? max_true : max_false))
      answered.push_back(in_quotes(key));
  }
  return "{\"type\": " + in_quotes(name_of(g.type)) + ",\n        \"members\": " + listed(members) +
         ",\n        \"non_members_true\": " + listed(yes) +
         ",\n        \"non_members_false\": " + listed(no) + "}";
}

template <class Set>
file file_of(const std::string& name, const std::string& what, const std::string& built_with,
             const Set& set, const std::vector<group>& groups) {
  std::vector<std::string> keys;
  for (const auto& g : groups) keys.push_back(answers_of(set, g));
  const std::string path = name + ".umbel";
  return {path, std::string(Set::kind), umbel::encode(set),
          object(path, Set::kind, what, set.hash(), built_with, keys)};
}

template <class Set>
file set_file(const std::string& name, const std::string& what, const std::string& built_with,
              const typename Set::options_type& how, const std::vector<group>& groups) {
  const hasher hash = Set::kind == "parquet-filter" ? hasher::parquet() : how.hash;
  std::vector<digest> members;
  for (const auto& [type, count] : groups)
    for (std::uint64_t i = 0; i < count; ++i)
      members.push_back(digest_of(hash, type, key_number(type, i, false)));
  return file_of(name, what, built_with, Set::build(members, how), groups);
}

}  // namespace golden
