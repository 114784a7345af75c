// drover: the commands, and what an error looks like.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/chosen_command.h"
#include "cli/commands.h"
#include "cli/config_option.h"
#include "cli/environment_option.h"
#include "cli/help_format.h"
#include "cli/parse_message.h"
#include "cli/process_setup.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "cli/version.h"

namespace {

int fail(int code, const char* message) {
  std::fputs(fmt::format("drover: error: {}\n", message).c_str(), stderr);
  return code;
}

// What --help and --version ask for.
int show(CLI::App& app, const CLI::Success& asked) {
  std::ostringstream text;
  const int code = app.exit(asked, text, text);
  try {
    drover::cli::print(text.str(), "the help or the version");
  } catch (const std::exception& error) {
    return fail(drover::cli::exit_failure, error.what());
  }
  return code;
}

// A word of the command line that may hold a password is not repeated.
std::string without_secrets(std::string message, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!drover::cli::may_hold_password("", word)) continue;
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const std::string_view value =
        equals == std::string_view::npos ? word : word.substr(equals + 1);
    for (std::size_t at = message.find(value); at != std::string::npos; at = message.find(value)) {
      message.replace(at, value.size(), "(not shown)");
    }
  }
  return message;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace drover::cli;
  try {
    set_up_process();
  } catch (const std::exception& error) {
    return fail(exit_failure, error.what());
  }
  CLI::App app("Drover drives herds of terminals: a load generator for SQL databases", "drover");
  app.formatter(std::make_shared<HelpFormat>());
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", version_text(),
                       "Print version, commit, compiler and libraries");
  app.footer(
      "Examples:\n"
      "  drover demo                         the whole story on a private PostgreSQL\n"
      "  drover tpcc init && drover tpcc import -w 10\n"
      "  drover tpcc run -w 10 --duration 3m\n"
      "  drover tpcc check --db postgresql://user@host/name\n"
      "\n"
      "Exit codes: 0 success, 1 failure or a check that does not hold, 2 wrong use,\n"
      "            130 interrupted");

  std::function<int()> chosen;
  add_tpcc(app, chosen);
  add_demo(app, chosen);
  add_pg(app, chosen);
  add_report(app, chosen);
  add_compare(app, chosen);
  add_history(app, chosen);
  add_lab(app, chosen);
  const auto environment = add_environment_option(app);
  const auto config = add_config_option(app);
  // These take no options from elsewhere: they have to work when what is there is wrong.
  add_help(app, chosen);
  add_completion(app, chosen);
  add_man(app, chosen);

  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::Success& success) {  // --help, --version
    return show(app, success);
  } catch (const CLI::ParseError& error) {
    if (is_command_missing(error, app)) {
      std::fputs((chosen_path(app).back()->help() + "\n").c_str(), stderr);
    }
    return fail(exit_usage, parse_message(error, app).c_str());
  } catch (const UsageError& error) {
    const std::string message = without_secrets(error.what(), argc, argv);
    return fail(exit_usage,
                (message + environment->note_for(message) + config->note_for(message)).c_str());
  } catch (const std::exception& error) {
    return fail(exit_failure, error.what());
  }
}
