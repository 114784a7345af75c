#include "cli/config_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <set>
#include <utility>

#include "cli/chosen_command.h"
#include "cli/parse_message.h"
#include "cli/usage_error.h"

namespace drover::cli {

namespace {

// Of the command itself, or of all commands below it.
std::vector<CLI::Option*> options_below(CLI::App& command, const std::string& key) {
  std::vector<CLI::Option*> options;
  if (CLI::Option* own = option_of(command, key)) options.push_back(own);
  for (CLI::App* below : commands_of(command)) {
    const std::vector<CLI::Option*> more = options_below(*below, key);
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

// What the option takes, if it is not what the file has.
const char* expected_instead(const CLI::Option& option, ConfigKind kind) {
  const bool is_flag = option.get_items_expected_max() == 0;
  const bool is_list = option.get_items_expected_max() > 1;
  if (is_flag) return kind == ConfigKind::truth ? nullptr : "true or false";
  if (kind == ConfigKind::truth) return is_list ? "a list" : "text in quotes or a number";
  if (kind == ConfigKind::list && !is_list) return "a single value";
  return nullptr;
}

bool entry_may_hold_password(const ConfigEntry& entry) {
  return std::ranges::any_of(
      entry.values, [&](const std::string& value) { return may_hold_password(entry.key, value); });
}

}  // namespace

class ConfigApplication {
 public:
  ConfigApplication(CLI::App& app, const std::string& file, ConfigSource& source)
      : app_(app), file_(file), source_(source), path_(chosen_path(app)) {
    source_.file_ = file;
  }

  void apply(const std::vector<ConfigEntry>& entries) {
    std::vector<const ConfigEntry*> ours;
    for (const ConfigEntry& entry : entries) {
      if (require_fit(entry)) ours.push_back(&entry);
    }
    // The nearest section first: what is set stays.
    std::ranges::sort(ours, [](const ConfigEntry* one, const ConfigEntry* other) {
      return std::pair(other->section.size(), one->line) <
             std::pair(one->section.size(), other->line);
    });
    for (const ConfigEntry* entry : ours) set(*entry);
  }

 private:
  [[noreturn]] void refuse(const ConfigEntry& entry, std::string_view what) const {
    throw UsageError(fmt::format("{}, line {}: {}", file_, entry.line, what));
  }

  // Whether the entry speaks of the chosen command, too.
  bool require_fit(const ConfigEntry& entry) const {
    CLI::App* command = &app_;
    bool chosen = true;
    for (std::size_t i = 0; i < entry.section.size(); ++i) {
      CLI::App* below = command_of(*command, entry.section[i]);
      if (below == nullptr) refuse_section(entry, *command, i);
      command = below;
      chosen = chosen && i + 1 < path_.size() && path_[i + 1] == command;
    }
    const std::vector<CLI::Option*> options = options_below(*command, entry.key);
    if (options.empty()) {
      refuse(entry,
             fmt::format("{}: there is no such option{}; see: drover {}{}--help", entry.key,
                         entry.section.empty()
                             ? ""
                             : " of drover " + fmt::format("{}", fmt::join(entry.section, " ")),
                         fmt::join(entry.section, " "), entry.section.empty() ? "" : " "));
    }
    for (const CLI::Option* option : options) {
      if (const char* expected = expected_instead(*option, entry.kind)) {
        refuse(entry, fmt::format("{}: expected {}", entry.key, expected));
      }
    }
    if (entry_may_hold_password(entry)) {
      refuse(entry, fmt::format("{}: a connection string belongs to the key db", entry.key));
    }
    return chosen && option_of(*path_.back(), entry.key) != nullptr;
  }

  [[noreturn]] void refuse_section(const ConfigEntry& entry, CLI::App& command,
                                   std::size_t index) const {
    std::vector<std::string> names;
    for (const CLI::App* below : commands_of(command)) names.push_back(below->get_name());
    const auto known = entry.section | std::views::take(index + 1);
    refuse(entry,
           fmt::format(
               "there is no command drover {}; expected {}", fmt::join(known, " "),
               names.empty() ? "a key" : fmt::format("a section of {}", fmt::join(names, ", "))));
  }

  void set(const ConfigEntry& entry) {
    CLI::Option& option = *option_of(*path_.back(), entry.key);
    if (!decided_.insert(&option).second) return;  // by a nearer section
    if (option.count() > 0) return;                // by the command line or a variable
    if (entry.kind == ConfigKind::truth && entry.values.front() == "false") return;
    if (entry.values.empty()) return;
    try {
      option.add_result(entry.values);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      refuse(entry, option_message(error));
    }
    source_.origins_.push_back({written_names_of(option), entry.line});
  }

  CLI::App& app_;
  std::string file_;
  ConfigSource& source_;
  std::vector<CLI::App*> path_;
  std::set<const CLI::Option*> decided_;
};

void apply_config(CLI::App& app, const std::vector<ConfigEntry>& entries, const std::string& file,
                  ConfigSource& source) {
  ConfigApplication(app, file, source).apply(entries);
}

std::string ConfigSource::note_for(std::string_view message) const {
  for (const Origin& origin : origins_) {
    if (is_message_about(message, origin.names)) {
      return fmt::format(" (from {}, line {})", file_, origin.line);
    }
  }
  return {};
}

std::shared_ptr<const ConfigSource> add_config_option(CLI::App& app) {
  const auto source = std::make_shared<ConfigSource>();
  const auto used = std::make_shared<bool>(false);
  // CLI11 has a reader of its own for such files. It is not used: it cuts values at a # within
  // quotes, takes unclosed lists, skips what it does not understand, and names no line. It also
  // waits for ever on a pipe.
  const auto apply = [&app, source, used](const std::string& path) {
    const std::vector<CLI::App*> chosen = chosen_path(app);
    // What is missing of the command line is said first.
    if (!commands_of(*chosen.back()).empty() || asks_for_help(chosen)) return;
    if (std::exchange(*used, true)) throw UsageError("--config is given twice");
    try {
      apply_config(app, read_config_file(path), config_file_name(path), *source);
    } catch (const ConfigFileError& error) {
      throw UsageError(error.what());
    }
  };
  const std::function<void(CLI::App&)> add_to = [&](CLI::App& command) {
    for (CLI::App* below : commands_of(command)) add_to(*below);
    command.add_option_function<std::string>("--config", apply, "Options from this file")
        ->type_name("FILE")
        ->configurable(false);
  };
  add_to(app);
  return source;
}

}  // namespace drover::cli
