// `drover pg start|stop|status|psql`: manages the private PostgreSQL server. The exit code of
// status is 0 if the server runs and 3 if not, as for pg_ctl. The exit code of psql is that of
// psql.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/standard_output.h"
#include "database/embedded/private_server.h"
#include "database/embedded/program.h"

namespace drover::cli {
namespace {

using namespace database::embedded;

struct PgArguments {
  std::string data_root;
  std::vector<std::string> settings;
  std::vector<std::string> psql_arguments;
};

ServerOptions options_of(const PgArguments& arguments) {
  ServerOptions options;
  options.data_root = arguments.data_root;
  return options;
}

void print_status(const ServerStatus& status) {
  const char* state = !status.running ? "stopped" : status.ready ? "running" : "starting";
  std::string text =
      fmt::format("state       {}{}\n", state,
                  status.on_demand ? " (started on demand, stops after its last user)" : "");
  text += fmt::format("version     PostgreSQL {}\n", status.version);
  if (status.running) text += fmt::format("pid         {}\n", status.pid);
  text += fmt::format("data        {}\n", status.data.string());
  text += fmt::format("log         {}\n", status.log.string());
  text += fmt::format("connection  {}\n", status.conninfo);
  print(text, "the state of the server");
}

int start(const PgArguments& arguments) {
  ServerOptions options = options_of(arguments);
  try {
    options.settings = parse_settings(arguments.settings);
  } catch (const ServerError& error) {
    fmt::print(stderr, "drover: error: {}\n", error.what());
    return exit_usage;
  }
  PrivateServer server(std::move(options));
  const StartOutcome outcome = server.start();
  print_status(server.status());
  if (outcome == StartOutcome::already_running && !arguments.settings.empty()) {
    fmt::print(stderr,
               "drover: error: the private server is already running, and --set takes effect only "
               "when it starts. Run 'drover pg stop' first\n");
    return exit_failure;
  }
  return exit_success;
}

int stop(const PgArguments& arguments) {
  const bool ran = PrivateServer(options_of(arguments)).stop();
  print(ran ? "stopped\n" : "it was not running\n", "what became of the server");
  return exit_success;
}

int status(const PgArguments& arguments) {
  const ServerStatus status = PrivateServer(options_of(arguments)).status();
  print_status(status);
  return status.running ? exit_success : exit_stopped;
}

int psql(const PgArguments& arguments) {
  ServerLease lease = ServerLease::acquire(options_of(arguments));
  const int exit_code = run_psql(find_psql(lease.server().installation()), lease.conninfo(),
                                 arguments.psql_arguments);
  lease.release();
  return exit_code;
}

}  // namespace

void add_pg(Command& app) {
  const auto arguments = std::make_shared<PgArguments>();
  Command& pg = app.add_command(
      "pg",
      "Manage the private PostgreSQL server, which commands without --db use. It uses the newest\n"
      "PostgreSQL on this machine ($DROVER_PG_BINDIR: another one) and listens on a Unix socket.\n"
      "For root it runs as the user postgres or nobody. Commands start the server and stop it\n"
      "when they end. After 'drover pg start' it keeps running.",
      "Example:\n  drover pg start && drover pg status");
  const auto add = [&](const char* name, const char* description, const std::string& example,
                       int (*perform)(const PgArguments&)) -> Command& {
    Command& command = pg.add_command(name, description, "Example:\n  " + example);
    command.add_options(
        {{"--data-dir", &arguments->data_root, "DIR",
          "Folder of the private server (default: $DROVER_DATA_HOME, else "
          "$XDG_DATA_HOME/drover, else ~/.local/share/drover; for root /var/lib/drover)"}});
    command.action = [arguments, perform] { return perform(*arguments); };
    return command;
  };
  add("start", "Start the server, and create it the first time. It keeps running.",
      "drover pg start --set fsync=off --set shared_buffers=4GB", start)
      .add_options({{"--set", &arguments->settings, "NAME=VALUE",
                     "Set a PostgreSQL parameter for this start"}});
  add("stop", "Stop the server and end its sessions", "drover pg stop", stop);
  add("status", "Show whether the server is running. Exit code 0: it runs; 3: it does not.",
      "drover pg status", status);
  add("psql", "Open psql on the server. A stopped server runs until psql ends.",
      "drover pg psql -- -c 'SELECT count(*) FROM warehouse'", psql)
      .add_options(
          {{"arguments", &arguments->psql_arguments, "ARGS", "Arguments of psql, after --"}});
}

}  // namespace drover::cli
