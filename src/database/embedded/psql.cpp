#include "database/embedded/psql.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

// While it lives, the keys that interrupt are left to the program in the foreground beside us.
class IgnoredInterrupts {
 public:
  IgnoredInterrupts() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt_);
    ::sigaction(SIGQUIT, &ignore, &quit_);
  }
  IgnoredInterrupts(const IgnoredInterrupts&) = delete;
  IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;
  ~IgnoredInterrupts() { restore(); }

  void restore() const {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_{};
  struct sigaction quit_{};
};

constexpr int exit_not_started = 127;

}  // namespace

int run_psql(const Installation& installation, const std::string& conninfo,
             const std::vector<std::string>& arguments) {
  const std::string psql = installation.program("psql").string();
  if (::access(psql.c_str(), X_OK) != 0) {
    throw system_error(fmt::format("cannot run {} (Debian: 'apt install postgresql-client')", psql),
                       errno);
  }
  std::vector<std::string> words = {psql, "--dbname=" + conninfo};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const IgnoredInterrupts ignored;
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error("cannot start psql", errno);
  if (pid == 0) {
    ignored.restore();
    ::signal(SIGXFSZ, SIG_DFL);  // which main() ignores: an exec keeps that
    ::execv(psql.c_str(), pointers.data());
    ::_exit(exit_not_started);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw system_error("cannot wait for psql", errno);
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status) == exit_not_started) {
    throw ServerError(fmt::format("cannot start {}", psql));
  }
  return WEXITSTATUS(status);
}

}  // namespace drover::database::embedded
