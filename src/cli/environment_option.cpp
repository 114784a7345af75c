#include "cli/environment_option.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>

#include "cli/chosen_command.h"
#include "cli/nearest_name.h"
#include "cli/parse_message.h"
#include "cli/usage_error.h"
#include "report/bounded_file.h"

namespace drover::cli {

namespace {

constexpr std::string_view program_prefix = "DROVER_";
constexpr const char* config_variable = "DROVER_CONFIG";

std::vector<std::string> names_of(const std::vector<CLI::App*>& path) {
  std::vector<std::string> names;
  for (const CLI::App* command : path) names.push_back(command->get_name());
  return names;
}

// All that the variables of a command's options may be called, by any number of names in front.
void add_variables_of(CLI::App& command, std::vector<std::string> path,
                      std::set<std::string>& variables) {
  path.push_back(command.get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) {
      for (std::size_t depth = 1; depth <= path.size(); ++depth) {
        variables.insert(
            variable_name({path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)}, name));
      }
    }
  }
  for (CLI::App* below : commands_of(command)) add_variables_of(*below, path, variables);
}

const std::string* value_of(const EnvironmentVariables& variables, std::string_view name) {
  const auto found =
      std::ranges::find_if(variables, [&](const auto& variable) { return variable.first == name; });
  return found == variables.end() ? nullptr : &found->second;
}

std::vector<std::string> parts_of_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

// As CLI11 writes them; nothing if it is neither.
std::optional<std::string> truth_of(std::string_view text) {
  if (text == "true" || text == "1") return "true";
  if (text == "false" || text == "0") return "false";
  return std::nullopt;
}

bool is_on_command_line(const CLI::App& command, const CLI::Option& option) {
  const std::vector<CLI::Option*>& order = command.parse_order();
  return std::ranges::find(order, &option) != order.end();
}

}  // namespace

EnvironmentVariables drover_variables() {
  EnvironmentVariables variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(program_prefix) || equals == std::string_view::npos) continue;
    if (equals + 1 == text.size()) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

const std::vector<KnownVariable>& known_variables() {
  static const std::vector<KnownVariable> variables = {
      {config_variable, "The file of --config, for every command that takes one."},
      {"DROVER_DATA_HOME",
       "The folder of the private server, where --data-dir does not name one. Without both: "
       "$XDG_DATA_HOME/drover, else ~/.local/share/drover; for root /var/lib/drover."},
      {"DROVER_PG_BINDIR",
       "The folder with the programs of PostgreSQL (postgres, initdb) that the private server is "
       "made of. Without it: the newest that is installed."},
  };
  return variables;
}

std::string variable_name(const std::vector<std::string>& command, std::string_view option) {
  std::string name(fmt::format("{}_{}", fmt::join(command, "_"), option));
  for (char& character : name) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
    if (character == '-') character = '_';
  }
  return name;
}

class EnvironmentApplication {
 public:
  EnvironmentApplication(CLI::App& app, const EnvironmentVariables& variables,
                         EnvironmentSource& source)
      : variables_(variables), source_(source), path_(chosen_path(app)), names_(names_of(path_)) {
    add_variables_of(app, {}, known_);
    for (const KnownVariable& variable : known_variables()) known_.emplace(variable.name);
  }

  std::vector<std::string> apply() {
    // What is missing of the command line is said first.
    if (!commands_of(*path_.back()).empty() || asks_for_help(path_)) return {};
    // What says how things are to be written has to work when they are wrong.
    if (path_.back()->get_group() == about_group) return {};
    std::vector<std::string> warnings = require_known();
    for (CLI::Option* option : path_.back()->get_options()) {
      if (option->get_configurable() && !option->get_lnames().empty()) set(*option);
    }
    name_config_file();
    return warnings;
  }

 private:
  // The option of a variable that is of the chosen command's is missed by the user; any other may
  // be somebody else's, or of another version of this program.
  std::vector<std::string> require_known() const {
    const std::string of_command = variable_name(names_, "");
    std::vector<std::string> warnings;
    for (const auto& [name, value] : variables_) {
      if (known_.contains(name)) continue;
      const std::string shown = report::terminal_text(name);
      if (path_.size() > 1 && name.starts_with(of_command)) {
        const std::string command = name_of(*path_.back());
        const std::string meant = meant_by(name);
        throw UsageError(
            fmt::format("{}: {} has no such option{}", shown, command,
                        meant.empty() ? fmt::format("; see: {} --help", command) : meant));
      }
      warnings.push_back(
          fmt::format("the variable {} is unknown and was not used{}", shown, meant_by(name)));
    }
    return warnings;
  }

  // "; did you mean …?" What all of them begin with makes none of them alike.
  std::string meant_by(const std::string& name) const {
    std::vector<std::string> names;
    for (const std::string& known : known_) names.push_back(known.substr(program_prefix.size()));
    const auto nearest = nearest_name(name.substr(program_prefix.size()), names);
    return nearest ? fmt::format("; did you mean {}{}?", program_prefix, *nearest) : std::string();
  }

  // The variable of most names that is set, or nothing.
  std::pair<std::string, const std::string*> variable_for(const CLI::Option& option) const {
    for (std::size_t depth = names_.size(); depth >= 1; --depth) {
      for (const std::string& name : option.get_lnames()) {
        std::string variable = variable_name(
            {names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(depth)}, name);
        if (const std::string* value = value_of(variables_, variable)) {
          return {std::move(variable), value};
        }
      }
    }
    return {};
  }

  static std::vector<std::string> results_of(const CLI::Option& option, const std::string& variable,
                                             const std::string& value) {
    if (option.get_items_expected_max() == 0) {
      const auto truth = truth_of(value);
      if (!truth) throw UsageError(fmt::format("{}: expected true, false, 1 or 0", variable));
      return {*truth};
    }
    for (const std::string& name : option.get_lnames()) {
      if (may_hold_password(name, value)) {
        throw UsageError(
            fmt::format("{}: a connection string belongs to the variable DROVER_DB", variable));
      }
    }
    if (option.get_items_expected_max() > 1) return parts_of_list(value);
    return {value};
  }

  void set(CLI::Option& option) {
    if (is_on_command_line(*path_.back(), option)) return;
    // CLI11 has looked for the variables that it knows by itself, and does not know the order.
    if (option.count() > 0) option.clear();
    const auto [variable, value] = variable_for(option);
    if (value == nullptr) return;
    const std::vector<std::string> results = results_of(option, variable, *value);
    if (results.empty()) return;
    try {
      option.add_result(results);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      throw UsageError(fmt::format("{}: {}", variable, option_message(error)));
    }
    source_.origins_.push_back({written_names_of(option), variable});
  }

  void name_config_file() {
    const std::string* file = value_of(variables_, config_variable);
    if (file == nullptr) return;
    for (CLI::App* command : path_) {
      const CLI::Option* option = command->get_option_no_throw("--config");
      if (option != nullptr && option->count() > 0) return;
    }
    CLI::Option* option = path_.back()->get_option_no_throw("--config");
    if (option == nullptr) return;
    try {
      option->add_result(*file);
      option->run_callback();
    } catch (const UsageError& error) {
      throw UsageError(
          fmt::format("{} (the variable {} names the file)", error.what(), config_variable));
    }
  }

  const EnvironmentVariables& variables_;
  EnvironmentSource& source_;
  std::vector<CLI::App*> path_;
  std::vector<std::string> names_;
  std::set<std::string> known_;
};

std::string EnvironmentSource::note_for(std::string_view message) const {
  for (const Origin& origin : origins_) {
    if (is_message_about(message, origin.names)) {
      return fmt::format(" (from the variable {})", origin.variable);
    }
  }
  return {};
}

std::vector<std::string> apply_environment(CLI::App& app, const EnvironmentVariables& variables,
                                           EnvironmentSource& source) {
  return EnvironmentApplication(app, variables, source).apply();
}

std::shared_ptr<const EnvironmentSource> add_environment_option(CLI::App& app) {
  const auto source = std::make_shared<EnvironmentSource>();
  // Also the variables that CLI11 knows by itself, of the options of the chosen command.
  const auto apply = [&app, source](bool wanted) {
    const EnvironmentVariables none;
    for (const std::string& warning :
         apply_environment(app, wanted ? drover_variables() : none, *source)) {
      std::fputs(fmt::format("drover: warning: {}\n", warning).c_str(), stderr);
    }
  };
  constexpr const char* name = "--no-environment";
  constexpr const char* description = "Take no option from a variable of the environment";
  std::vector<CLI::Option*> flags;
  const std::function<void(CLI::App&)> add_below = [&](CLI::App& command) {
    for (CLI::App* below : commands_of(command)) {
      flags.push_back(below->add_flag(name, description)->configurable(false));
      add_below(*below);
    }
  };
  add_below(app);
  // The callback of the program's own flag runs whether it is given or not, and before those of the
  // commands below, among them --config: by then the whole command line has been read.
  const auto decide = [flags, apply](std::int64_t given) {
    const bool below =
        std::ranges::any_of(flags, [](const CLI::Option* flag) { return flag->count() > 0; });
    apply(given <= 0 && !below);
  };
  app.add_flag_function(name, decide, description)
      ->configurable(false)
      ->default_str("false")
      ->force_callback();
  return source;
}

}  // namespace drover::cli
