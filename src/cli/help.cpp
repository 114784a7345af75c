// `drover help` and `drover man`: what the program says of itself.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/chosen_command.h"
#include "cli/command_outline.h"
#include "cli/commands.h"
#include "cli/help_format.h"
#include "cli/man_page.h"
#include "cli/nearest_name.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"
#include "cli/version.h"
#include "report/bounded_file.h"

namespace drover::cli {
namespace {

int print_help(CLI::App& app, const std::vector<std::string>& names) {
  CLI::App* command = &app;
  for (const std::string& name : names) {
    CLI::App* below = command_of(*command, name);
    if (below == nullptr) {
      std::vector<std::string> known;
      for (const CLI::App* one : commands_of(*command)) known.push_back(one->get_name());
      throw UsageError(fmt::format("unknown command: {} {}{}", name_of(*command),
                                   report::terminal_text(name), did_you_mean(name, known)));
    }
    command = below;
  }
  // CLI11's own help() would be that of the chosen command, which is `help`.
  print(help_text(outline_of(*command), help_width()), "the help");
  return exit_success;
}

}  // namespace

void add_help(CLI::App& app, std::function<int()>& chosen) {
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("help", "Print the help of a command, as --help behind it does");
  command->group(about_group);
  command->add_option("command", *names, "Its names, such as tpcc run; none: of drover itself")
      ->type_name("NAME");
  command->footer("Example:\n  drover help tpcc run");
  command->callback(
      [&app, names, &chosen] { chosen = [&app, names] { return print_help(app, *names); }; });
}

void add_man(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* command = app.add_subcommand(
      "man",
      "Print the manual page drover(1), made of the same texts as the help. 'cmake --install' puts "
      "it where man looks for it.");
  command->group(about_group);
  command->footer("Example:\n  drover man | man -l -");
  command->callback([&app, &chosen] {
    chosen = [&app] {
      print(man_page(outline_of(app), "drover " + tool().version, commit_date()),
            "the manual page");
      return exit_success;
    };
  });
}

}  // namespace drover::cli
