// The configuration file, from its text to the options of a command: a password in it is in no
// message, and what was read means the same when it is written again.
#include "cli/option/config_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/option/option_sources.h"
#include "fuzz.h"

using namespace drover;

namespace {

std::string quoted(const std::string& value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string written(const cli::ConfigEntry& entry) {
  std::string text;
  for (const std::string& section : entry.section) text += section + ".";
  text += entry.key + " = ";
  if (entry.kind == cli::ConfigKind::text) return text + quoted(entry.values.at(0));
  if (entry.kind != cli::ConfigKind::list) return text + entry.values.at(0);
  text += "[";
  for (const std::string& value : entry.values) text += quoted(value) + ", ";
  return text + "]";
}

void require_same_again(const std::vector<cli::ConfigEntry>& entries) {
  std::string text;
  for (const cli::ConfigEntry& entry : entries) text += written(entry) + "\n";
  std::vector<cli::ConfigEntry> again;
  try {
    again = cli::parse_config(text);
  } catch (const cli::ConfigFileError& error) {
    // A section may have several parts, and a key as well: the sum can be above the limit.
    fuzz::require(std::string_view(error.what()).ends_with("at most 8 parts"),
                  "what was written can be read", error.what());
    return;
  }
  fuzz::require(again.size() == entries.size(), "as many entries are read again", text);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    fuzz::require(again[i].section == entries[i].section && again[i].key == entries[i].key &&
                      again[i].values == entries[i].values,
                  "the same is read again", text);
  }
}

// Options of every kind that drover has.
void apply(const std::vector<cli::ConfigEntry>& entries) {
  cli::Command program("drover");
  cli::Command& run = program.add_command("tpcc").add_command("run");
  std::string db;
  std::string duration;
  double pace = 1;
  int connections = 0;
  bool no_delays = false;
  std::vector<std::string> settings;
  run.add_options({{"--db", &db, "URI", ""},
                   {"-d,--duration", &duration, "TIME", ""},
                   {"--pace", &pace, "X", ""},
                   {"--connections", &connections, "N", "", {.range = cli::Range{1, 1000}}},
                   {"--no-delays", &no_delays, "", ""},
                   {"--set", &settings, "NAME=VALUE", ""}});
  program.add_command("pg").add_options({{"--set", &settings, "NAME=VALUE", ""}});
  cli::apply_config(program, run, entries, "file");
  fuzz::require(connections >= 0 && connections <= 1000, "validators are asked");
}

void require_harmless_message(std::string_view message) {
  fuzz::require_message(message);
  fuzz::require(!fuzz::holds_secret(message), "a message holds no password", message);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (fuzz::holds_secret(fuzz::text_of(data, size))) return 0;
  const std::string text = fmt::format("db = \"postgresql://user:{}@host/x\"\n{}", fuzz::secret,
                                       fuzz::text_of(data, size));
  try {
    const std::vector<cli::ConfigEntry> entries = cli::parse_config(text);
    require_same_again(entries);
    apply(entries);
  } catch (const cli::ConfigFileError& error) {
    require_harmless_message(error.what());
  } catch (const UsageError& error) {
    // A value of another option may be shown, as on the command line; so it may be long.
    require_harmless_message(std::string_view(error.what()).substr(0, 1000));
  }
  return 0;
}
