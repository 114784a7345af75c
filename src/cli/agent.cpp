// `drover agent`: the process that executes one host's part of a command on several hosts. It joins
// the coordinator, which sends it the command.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <thread>

#include "cli/commands.h"
#include "cli/hosts_option.h"
#include "cli/program.h"
#include "cli/standard_output.h"
#include "file/bounded_file.h"
#include "measure/process.h"
#include "ranks/member.h"
#include "ranks/mpi_meeting.h"
#include "text/plain_text.h"

namespace drover::cli {
namespace {

using ranks::Message;

constexpr const char* standard_input = "-";
constexpr std::size_t secret_least = 16;
constexpr std::size_t secret_most = 1'000;
constexpr coro::Duration join_again_after = std::chrono::milliseconds(500);

struct AgentArguments {
  std::string join;
  std::optional<std::uint64_t> rank;
  std::string secret_file;
  coro::Duration join_timeout = std::chrono::minutes(2);
};

std::string first_line_of(const std::string& file) {
  std::string text;
  try {
    // read_bounded_file() is not used here, because the files that it reads are sent to other
    // hosts.
    text = file == standard_input
               ? file::read_up_to(file::FileDescriptor(dup(STDIN_FILENO)), secret_most + 2)
               : file::read_up_to(file, secret_most + 2);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("--secret-file {}: {}", file, error.what()));
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

// Returns true if the coordinator shows this process's error to the same user.
bool is_shown_by_coordinator(const AgentArguments& arguments) {
  const auto job = ranks::place_in_job();
  return arguments.secret_file == standard_input || ranks::started_by_mpi() ||
         (job && job->size.has_value());
}

ranks::MemberPlace place_of(const AgentArguments& arguments) {
  ranks::MemberPlace place;
  place.secret = read_secret(arguments.secret_file);
  if (arguments.rank) {
    place.rank = *arguments.rank;
  } else if (const auto job = ranks::place_in_job()) {
    place.rank = job->index;
  }
  place.host = measure::describe_host().hostname;
  place.program = own_version();
  return place;
}

// Joins the coordinator. Throws ranks::LinkError if the coordinator refuses, or does not answer
// within `limit`.
void join(std::optional<ranks::Member>& member, const std::string& address,
          ranks::MemberPlace place, coro::Duration limit) {
  const auto start = std::chrono::steady_clock::now();
  for (bool is_first = true;; is_first = false) {
    std::string reason;
    try {
      place.conductor = ranks::looked_up(address);
      member.emplace(place);
      return;
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--join {}", error.what()));
    } catch (const ranks::Unreachable& error) {
      reason = error.what();
    }
    if (std::chrono::steady_clock::now() + join_again_after - start > limit) {
      throw ranks::LinkError(
          limit == coro::Duration::zero()
              ? reason
              : fmt::format("{}, for {:.0f} s", reason, coro::seconds_of(limit)));
    }
    if (is_first) {
      note_to_stderr(fmt::format("{} Retrying for up to {:.0f} s", text::sentence(reason),
                                 coro::seconds_of(limit)));
    }
    std::this_thread::sleep_for(join_again_after);
  }
}

int perform_work(Command& program, ranks::Member& member, const Message& work) {
  for (const auto& [name, value] : work.at("environment").items()) {
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  }
  file::read_in_place_of_files(work.at("files").get<std::map<std::string, std::string>>());
  const std::vector<Command*> path =
      read_words(program, work.at("words").get<std::vector<std::string>>());
  require_complete(*path.back());
  return path.back()->member_action(member, work);
}

int perform_agent(Command& program, const AgentArguments& arguments) {
  // The process that reads this process's output may have ended.
  std::signal(SIGPIPE, SIG_IGN);
  const ranks::MemberPlace place = place_of(arguments);
  const bool is_shown = is_shown_by_coordinator(arguments);
  std::optional<ranks::Member> member;
  int code = exit_failure;
  try {
    join(member, arguments.join, place, arguments.join_timeout);
    if (!is_shown) note_to_stderr("joined the coordinator at " + arguments.join);
    code = perform_work(program, *member, member->wait_for("work"));
  } catch (const std::exception& error) {
    if (!member && dynamic_cast<const UsageError*>(&error) != nullptr) throw;
    const bool has_coordinator = member && member->loss().empty();
    if (has_coordinator) {
      Message failed = ranks::message("failed");
      failed["reason"] = error.what();
      member->tell(failed);
      member->flush();
    }
    if (!has_coordinator || !is_shown) {
      // The error of rank 0 says why it ended, and must come first.
      if (!member) let_first_process_speak();
      std::fputs(fmt::format("drover: error: {}\n", error.what()).c_str(), stderr);
    }
  }
  // mpirun kills all ranks when one of them fails. Rank 0 knows of this failure, and returns it as
  // its own exit code after it has written the result.
  if (member && ranks::started_by_mpi()) return exit_success;
  return code == exit_interrupted ? exit_failure : code;
}

}  // namespace

std::string read_secret(const std::string& file) {
  std::string secret;
  if (!file.empty()) {
    secret = first_line_of(file);
  } else if (const char* value = std::getenv(secret_variable); value != nullptr && *value != 0) {
    secret = value;
    // Child processes do not need the secret.
    unsetenv(secret_variable);
  } else {
    throw UsageError(
        fmt::format("no secret is given. The coordinator and its agents must share a secret. Set "
                    "{} to the same value on each host, for example to the output of 'openssl rand "
                    "-hex 16', or name a file with --secret-file",
                    secret_variable));
  }
  if (secret.size() < secret_least || secret.size() > secret_most) {
    throw UsageError(fmt::format("the secret in {} has {} characters. Expected {} to {}",
                                 file.empty() ? secret_variable : file, secret.size(), secret_least,
                                 secret_most));
  }
  return secret;
}

void let_first_process_speak() {
  constexpr coro::Duration enough = std::chrono::seconds(8);
  const auto job = ranks::place_in_job();
  const bool is_of_srun = job && job->size && job->index > 0;
  if (ranks::rank_by_variables().value_or(0) > 0 || is_of_srun) std::this_thread::sleep_for(enough);
}

std::vector<std::string> agent_words(const std::string& join, std::size_t rank,
                                     const std::string& secret_file, coro::Duration join_timeout) {
  std::vector<std::string> words = {"agent", "--no-environment", "--join=" + join,
                                    fmt::format("--rank={}", rank),
                                    "--join-timeout=" + duration_text(join_timeout)};
  if (!secret_file.empty()) words.push_back("--secret-file=" + secret_file);
  return words;
}

ranks::MemberWork member_work(const Message& work) {
  ranks::MemberWork own;
  own.run = work.at("run");
  own.rank = work.at("rank");
  own.ranks = work.at("ranks");
  own.name = work.at("name");
  const Message& share = work.at("share");
  own.share = {share.at(0), share.at(1), share.at(2), share.at(3), share.at(4)};
  own.connections = work.value("connections", std::int64_t{0});
  own.found = work.value("found", std::string());
  own.database = work.value("database", std::string());
  own.parts = work.value("parts", std::string());
  return own;
}

void add_agent(Command& app) {
  const auto arguments = std::make_shared<AgentArguments>();
  Command& agent = app.add_command(
      "agent",
      "Run this host's part of a command on several hosts. The coordinator, such as drover tpcc "
      "run "
      "--agents N --listen PORT, sends the agent all options. Commands with --hosts start their "
      "agents themselves. Exit code 1: this host's part failed, or the coordinator could not be "
      "reached.",
      "Example:\n  openssl rand -hex 16 > secret    # copy this file to all hosts\n"
      "  drover tpcc run --agents 2 --listen 4711 --secret-file secret --db $DB\n"
      "  drover agent --join c:4711 --secret-file secret    # on two other hosts");
  agent.add_options(
      {{"--join", &arguments->join, "HOST:PORT,…",
        "Address of the coordinator. Several addresses are tried in turn", required_option},
       {"--rank", &arguments->rank, "N",
        "Position among the agents (default: JOB_COMPLETION_INDEX of Kubernetes or SLURM_PROCID of "
        "srun, else the first free position)",
        in_range(0, 9'999)},
       {"--secret-file", &arguments->secret_file, "FILE",
        "Read the secret that all hosts share from the first line of FILE; -: standard input "
        "(default: the variable DROVER_SECRET)",
        input_file},
       {"--join-timeout", &arguments->join_timeout, "TIME",
        "Time limit for reaching the coordinator; 0: one attempt",
        in_range(between(coro::Duration::zero(), join_timeout_most))}});
  agent.action = [&app, arguments] { return perform_agent(app, *arguments); };
}

}  // namespace drover::cli
