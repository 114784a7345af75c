// The text of a configuration file: the part of TOML (toml.io, v1.0) that options of a command line
// need, and nothing that could be misunderstood. docs/config-file.md describes it for users.
//
//   [tpcc.run]                  # a section, with a command's name
//   duration = "3m"             # text, in " with escapes or in ' without
//   pace = 2.5                  # a number
//   no-delays = true
//   set = ["fsync=off", "a=b"]  # a list, on one line or on several
//
// Not part of it: dates, tables in a line, lists of lists or of sections, text of several lines,
// numbers that are not decimal. No text may hold a control character, so that whatever is made of
// it can be shown on a terminal. Pure functions, save for read_config_file.
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

// One printable line: where and what is wrong and what was expected. Never a value of the file,
// for it could be a password.
struct ConfigFileError : UsageError {
  using UsageError::UsageError;
};

enum class ConfigKind : std::uint8_t { text, number, truth, list };

struct ConfigEntry {
  std::vector<std::string> section;  // {"tpcc", "run"}
  std::string key;
  ConfigKind kind = ConfigKind::text;
  // One for all kinds but the list. Numbers as they were written, without a plus sign and
  // underscores; truth is "true" or "false".
  std::vector<std::string> values;
  std::size_t line = 0;  // from 1
};

// In the order of the text; no two have the same section and key. Throws ConfigFileError, whose
// message begins with the line.
std::vector<ConfigEntry> parse_config(std::string_view text);

// Throws ConfigFileError, also if it is no regular file or above config_bytes_max; the message
// begins with the file.
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path);

// How messages call the file.
std::string config_file_name(const std::filesystem::path& path);

}  // namespace drover::cli
