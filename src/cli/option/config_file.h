// Reader of configuration files, in the part of TOML (toml.io, v1.0) that options of a command line
// need. docs/config-file.md describes it for users.
//
//   [tpcc.run]                  # a section: the name of a command
//   duration = "3m"             # text, in " with escapes or in ' without
//   pace = 2.5                  # a number
//   no-delays = true
//   set = ["fsync=off", "a=b"]  # a list, on one line or on several
//
// Refuses dates, inline tables, nested lists, lists of sections, text of several lines, numbers
// that are not decimal, and control characters. A TOML library would accept these, quote values in
// its errors, and refuse numbers above 2^63.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "run/usage_error.h"

namespace drover::cli {

inline constexpr std::size_t config_bytes_max = std::size_t{1} << 20;

// One printable line: where and what is wrong and what was expected. Never contains a value of the
// file, which could be a password.
struct ConfigFileError : UsageError {
  using UsageError::UsageError;
};

enum class ConfigKind : std::uint8_t { text, number, truth, list };

struct ConfigEntry {
  std::vector<std::string> section;  // {"tpcc", "run"}
  std::string key;
  ConfigKind kind = ConfigKind::text;
  // One value, except for lists. Numbers are in decimal without a plus sign and underscores; truth
  // is "true" or "false".
  std::vector<std::string> values;
  std::size_t line = 0;  // from 1
};

// Returns the entries in the order of the text. No two have the same section and key. Throws
// ConfigFileError, whose message begins with the line.
std::vector<ConfigEntry> parse_config(std::string_view text);

// Throws ConfigFileError, whose message begins with the file, also for a file above
// config_bytes_max.
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path);

// Returns the name of the file for messages.
std::string config_file_name(const std::filesystem::path& path);

}  // namespace drover::cli
