#include "ranks/job.h"

#include <fmt/format.h>

#include "text/plain_text.h"

namespace drover::ranks {
namespace {

// Lies below the ports that Linux uses for outgoing connections.
constexpr std::uint64_t first_port = 20'000;
constexpr std::uint64_t ports = 10'000;
constexpr std::uint64_t steps_of_a_job = 8;

std::optional<std::uint64_t> number_in(const Variables& variables, const char* name) {
  const char* text = variables(name);
  return text == nullptr ? std::nullopt : text::number_of<std::uint64_t>(text);
}

}  // namespace

std::optional<JobPlace> place_in_job(const Variables& variables) {
  const auto tasks = number_in(variables, "SLURM_STEP_NUM_TASKS");
  const auto task = number_in(variables, "SLURM_PROCID");
  const char* nodes = variables("SLURM_STEP_NODELIST");
  if (tasks && task && nodes != nullptr) {
    if (*tasks < 2) return std::nullopt;
    const std::uint64_t job = number_in(variables, "SLURM_JOB_ID").value_or(0);
    const std::uint64_t step = number_in(variables, "SLURM_STEP_ID").value_or(0);
    const std::uint64_t port = first_port + (job * steps_of_a_job + step) % ports;
    return JobPlace{*task, *tasks, fmt::format("{}:{}", first_node(nodes), port)};
  }
  if (const auto index = number_in(variables, "JOB_COMPLETION_INDEX")) {
    return JobPlace{*index, std::nullopt, {}};
  }
  return std::nullopt;
}

std::string first_node(std::string_view nodes) {
  std::string name;
  while (!nodes.empty() && nodes.front() != ',') {
    if (nodes.front() != '[') {
      name += nodes.front();
      nodes.remove_prefix(1);
      continue;
    }
    const std::size_t end = std::min(nodes.find(']'), nodes.size());
    const std::string_view numbers = nodes.substr(1, end - 1);
    name += numbers.substr(0, numbers.find_first_of(",-"));
    nodes.remove_prefix(std::min(end + 1, nodes.size()));
  }
  return name;
}

}  // namespace drover::ranks
