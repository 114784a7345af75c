// drover: the commands, and what an error looks like.
#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include "cli/commands.h"
#include "cli/config_option.h"
#include "cli/usage_error.h"

namespace {

// A file that we open must not become our standard output because that was closed.
void open_standard_files() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
  }
}

int fail(int code, const char* message) {
  std::fputs(fmt::format("drover: error: {}\n", message).c_str(), stderr);
  return code;
}

// CLI11 misses a command before it looks at the words that it did not understand, and it is these
// that were meant to be one.
std::string message_of(const CLI::ParseError& error, const CLI::App& app) {
  const auto unknown = app.remaining(true);
  if (unknown.empty() || dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return error.what();
  }
  return fmt::format("unknown command or option: {}", fmt::join(unknown, " "));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace drover::cli;
  open_standard_files();
  CLI::App app("Drover drives herds of terminals: a load generator for SQL databases", "drover");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.footer(
      "Examples:\n"
      "  drover demo                         the whole story on a private PostgreSQL\n"
      "  drover tpcc init && drover tpcc import -w 10 && drover tpcc run -w 10 --duration 3m\n"
      "  drover tpcc check --db postgresql://user@host/name\n"
      "\n"
      "Exit codes: 0 success, 1 failure or a check that does not hold, 2 wrong use,\n"
      "            130 interrupted");

  std::function<int()> chosen;
  add_tpcc(app, chosen);
  add_demo(app, chosen);
  add_pg(app, chosen);
  add_report(app, chosen);
  const auto config = add_config_option(app);

  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(exit_usage, fmt::format("{}\nSee: drover --help", message_of(error, app)).c_str());
  } catch (const UsageError& error) {
    return fail(exit_usage, (error.what() + config->note_for(error.what())).c_str());
  } catch (const std::exception& error) {
    return fail(exit_failure, error.what());
  }
}
