#include "database/ydb/ydb_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace drover::database::ydb {
namespace {

bool is_plain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

bool is_name(std::string_view part) {
  return !part.empty() && part.front() != '.' && std::all_of(part.begin(), part.end(), is_plain);
}

}  // namespace

std::string parse_folder(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  for (const auto& part : std::views::split(rest, '/')) {
    if (is_name(std::string_view(part.begin(), part.end()))) continue;
    throw TargetError(
        fmt::format("--schema {}: on YDB, the schema is a folder below the database. Expected a "
                    "path of letters, digits, '_', '-' and '.', such as tpcc or bench/tpcc",
                    text));
  }
  return std::string(rest);
}

std::string folder_path(const YdbDatabase& database) {
  const std::string& root = database.client.target.database;
  return database.folder.empty() ? root : fmt::format("{}/{}", root, database.folder);
}

std::string folder_pragma(const YdbDatabase& database) {
  return fmt::format("PRAGMA TablePathPrefix(\"{}\");\n", folder_path(database));
}

}  // namespace drover::database::ydb
