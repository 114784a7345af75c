#include "lab/rounds.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "file/bounded_file.h"

namespace drover::lab {
namespace {

// What the child writes: a kind, then figures or a message.
constexpr char is_figures = 'f';
constexpr char is_message = 'm';

constexpr std::size_t answer_bytes_most = 4'096;  // for which a pipe has room

// Never returns: nothing of the parent's (buffers, handlers at exit) may happen twice.
[[noreturn]] void run_child(int fd, const std::function<std::vector<double>()>& measure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string answer;
  try {
    const std::vector<double> figures = measure();
    answer.assign(1, is_figures);
    answer.append(reinterpret_cast<const char*>(figures.data()), figures.size() * sizeof(double));
  } catch (const std::exception& error) {
    answer = is_message + std::string(error.what());
  } catch (...) {
    answer = is_message + std::string("an unknown error");
  }
  answer.resize(std::min(answer.size(), answer_bytes_most));
  [[maybe_unused]] const ssize_t written = write(fd, answer.data(), answer.size());
  _exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was ended by a signal: {}", strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {} and returned no figures", WEXITSTATUS(status));
}

}  // namespace

std::vector<double> measured_apart(const std::function<std::vector<double>()>& measure) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  file::FileDescriptor read_end(ends[0]);
  file::FileDescriptor write_end(ends[1]);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    read_end.reset();
    run_child(write_end.get(), measure);
  }
  write_end.reset();
  const std::string answer = file::read_up_to(read_end, answer_bytes_most);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty())
    throw MeasurementFailed("the process of the measurement " + how_it_ended(status));
  if (answer[0] == is_message) throw MeasurementFailed(answer.substr(1));
  std::vector<double> figures((answer.size() - 1) / sizeof(double));
  if (!figures.empty()) {
    std::memcpy(figures.data(), answer.data() + 1, figures.size() * sizeof(double));
  }
  return figures;
}

Experiment measure_study(Study study, std::size_t rounds, const OnMeasured& on_measured,
                         const std::function<bool()>& interrupted) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Measurement& one : study.measurements) {
      if (interrupted()) break;
      if (!one.cell.note.empty()) continue;
      std::vector<double> figures;
      try {
        figures = measured_apart(one.measure);
        one.cell.rounds.push_back(figures);
      } catch (const MeasurementFailed& error) {
        if (interrupted()) break;  // the interrupt ended its process, too
        one.cell.note = error.what();
      }
      on_measured(one.cell, figures);
    }
  }
  for (Measurement& one : study.measurements) {
    study.experiment.cells.push_back(std::move(one.cell));
  }
  study.conclude(study.experiment);
  return std::move(study.experiment);
}

}  // namespace drover::lab
