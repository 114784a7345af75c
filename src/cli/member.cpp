#include "cli/member.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "cli/option/command_line.h"
#include "cli/version.h"
#include "file/bounded_file.h"
#include "measure/host.h"
#include "ranks/launch.h"
#include "ranks/member.h"
#include "run/usage_error.h"
#include "text/plain_text.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;
using ranks::Message;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::size_t> rank_of_variables() {
  for (const char* name :
       {MemberVariables::rank, "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const auto rank = text::number_of<std::size_t>(variable(name))) return *rank;
  }
  return std::nullopt;
}

std::size_t own_rank() {
  if (const auto rank = rank_of_variables()) return *rank;
  throw std::runtime_error("member: nobody has said which rank this is");
}

ranks::MemberPlace place_of_variables() {
  ranks::MemberPlace place;
  place.conductor = ranks::parse_endpoints(variable(MemberVariables::conductor));
  place.secret = variable(MemberVariables::secret);
  place.rank = own_rank();
  place.host = measure::describe_host().hostname;
  place.program = own_version();
  // What this process starts has no part in it.
  unsetenv(MemberVariables::conductor);
  unsetenv(MemberVariables::secret);
  return place;
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

}  // namespace

bool is_member(int argc, char** argv) {
  return argc == 2 && argv[1] == std::string_view("member") &&
         std::getenv(MemberVariables::conductor) != nullptr;
}

void let_rank_0_speak_first() {
  if (rank_of_variables().value_or(0) != 0) std::this_thread::sleep_for(std::chrono::seconds(8));
}

std::string own_program() {
  // After an upgrade the system says that the old one is gone.
  constexpr std::string_view gone = " (deleted)";
  std::string path = fs::read_symlink("/proc/self/exe").native();
  if (path.ends_with(gone)) path.resize(path.size() - gone.size());
  return path;
}

std::string own_version() {
  const report::Tool own = tool();
  return fmt::format("{} {}", own.version, own.commit);
}

std::vector<std::string> member_variables(const std::vector<ranks::Endpoint>& conductor,
                                          const std::string& secret,
                                          std::optional<std::size_t> rank) {
  std::vector<std::string> variables = {
      fmt::format("{}={}", MemberVariables::conductor, ranks::endpoints_text(conductor)),
      fmt::format("{}={}", MemberVariables::secret, secret)};
  if (rank) variables.push_back(fmt::format("{}={}", MemberVariables::rank, *rank));
  return variables;
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

int perform_as_member(Command& program) {
  // Whoever started this process is the way by which it is ended.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // Nobody may be there any more to read what it says.
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<ranks::Member> member;
  int code = exit_failure;
  try {
    member.emplace(place_of_variables());
    code = perform_work(program, *member, member->wait_for("work"));
  } catch (const std::exception& error) {
    const bool has_conductor = member && member->loss().empty();
    if (has_conductor) {
      Message failed = ranks::message("failed");
      failed["reason"] = error.what();
      member->tell(failed);
      member->flush();
    } else {
      if (!variable(MemberVariables::rank).empty()) let_rank_0_speak_first();
      std::fputs(fmt::format("drover: error: {}\n", error.what()).c_str(), stderr);
    }
  }
  if (member && !member->loss().empty()) ranks::end_daemon_of_launch();
  return code;
}

}  // namespace drover::cli
