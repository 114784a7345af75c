// The settings of the private server (layout.h).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "database/embedded/layout.h"

namespace drover::database::embedded {
namespace {

constexpr uint64_t mebibyte = 1024 * 1024;

// The settings that users may not change.
constexpr std::array reserved_settings = {
    "listen_addresses", "port",        "unix_socket_directories", "data_directory", "hba_file",
    "ident_file",       "config_file", "external_pid_file"};

bool is_name(std::string_view text) {
  const auto belongs = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, belongs);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  return result;
}

// Quotes a value for the configuration file, where a backslash escapes, too.
std::string quoted_value(std::string_view value) {
  std::string result = "'";
  for (const char character : value) {
    if (character == '\'' || character == '\\') result += character;
    result += character;
  }
  return result + "'";
}

}  // namespace

Setting parse_setting(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_name(text.substr(0, equals))) {
    throw ServerError(fmt::format(
        "'{}' is not a setting of the server. Expected NAME=VALUE, such as fsync=off", text));
  }
  Setting setting{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  if (setting.value.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos) {
    throw ServerError(
        fmt::format("the value of the setting '{}' must be a single line", setting.name));
  }
  if (std::ranges::find(reserved_settings, lower(setting.name)) != reserved_settings.end()) {
    throw ServerError(fmt::format(
        "the setting '{}' cannot be changed: Drover sets the folder and the Unix socket of its "
        "private server. To choose them yourself, use your own server with --db",
        setting.name));
  }
  return setting;
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  settings.reserve(texts.size());
  for (const std::string& text : texts) settings.push_back(parse_setting(text));
  return settings;
}

uint64_t memory_bytes_of_machine() {
  const uint64_t pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const uint64_t page_bytes = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  uint64_t bytes = pages * page_bytes;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  uint64_t limit = 0;
  // Without a limit, the file contains the word "max".
  if (limit_file >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

std::string configuration_text(uint64_t memory_bytes, const std::vector<Setting>& settings) {
  const uint64_t memory_mib = memory_bytes / mebibyte;
  const uint64_t shared_buffers_mib = std::clamp<uint64_t>(memory_mib / 4, 128, 8192);
  const uint64_t maintenance_mib = std::clamp<uint64_t>(memory_mib / 32, 64, 1024);
  const uint64_t cache_mib = std::max<uint64_t>(memory_mib / 2, shared_buffers_mib);
  std::string text = fmt::format(
      "# Written by drover at each start of its private server: changes are lost.\n"
      "# 'drover pg start --set NAME=VALUE' adds a setting for one start.\n"
      "shared_buffers = {}MB\n"
      "effective_cache_size = {}MB\n"
      "maintenance_work_mem = {}MB\n"
      "huge_pages = try\n"
      "max_connections = 500\n"
      "# One server, no replicas: the log carries only what a crash needs.\n"
      "wal_level = minimal\n"
      "max_wal_senders = 0\n"
      "max_wal_size = 8GB\n"
      "checkpoint_timeout = 15min\n"
      "checkpoint_completion_target = 0.9\n"
      "unix_socket_permissions = 0700\n"
      "log_line_prefix = '%m [%p] '\n",
      shared_buffers_mib, cache_mib, maintenance_mib);
  if (!settings.empty()) text += "# Set for this start only.\n";
  for (const Setting& setting : settings) {
    text += fmt::format("{} = {}\n", setting.name, quoted_value(setting.value));
  }
  return text;
}

}  // namespace drover::database::embedded
