// What a command line says of a database of YDB besides --db and --schema.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tpcc/database.h"

namespace drover::cli {

struct YdbOption {
  std::string token_file;  // empty: as the variables say
  std::string ca_file = {};
  bool no_discovery = false;
};

void add_ydb_options(CLI::App& command, YdbOption& option);

// The name of one that was given, or nothing.
std::string_view first_given(const YdbOption& option) noexcept;

// The words of a command line that say the same.
std::vector<std::string> words_of(const YdbOption& option);

// `url` begins with ydb:// or ydbs://. Throws UsageError, also where this program was built without
// the client of YDB.
std::unique_ptr<tpcc::Database> database_on_ydb(const std::string& url, const std::string& schema,
                                                const YdbOption& option);

}  // namespace drover::cli
