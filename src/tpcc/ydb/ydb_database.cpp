#include "tpcc/ydb/ydb_database.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::tpcc::ydb {
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
  const std::string folder(rest);
  while (!rest.empty()) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (!is_name(rest.substr(0, slash))) {
      throw database::ydb::TargetError(
          fmt::format("--schema {}: in a database of YDB it is a folder below the database, like "
                      "tpcc or bench/tpcc, of letters, digits, '_', '-' and '.'",
                      text));
    }
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return folder;
}

std::string folder_path(const YdbDatabase& database) {
  const std::string& root = database.client.target.database;
  return database.folder.empty() ? root : fmt::format("{}/{}", root, database.folder);
}

std::string folder_pragma(const YdbDatabase& database) {
  return fmt::format("PRAGMA TablePathPrefix(\"{}\");\n", folder_path(database));
}

}  // namespace drover::tpcc::ydb
