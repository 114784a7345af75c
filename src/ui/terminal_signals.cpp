#include "ui/terminal_signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace drover::ui {
namespace {

// A signal that is ignored (nohup, a shell without job control) stays so.
sigset_t signals_of_terminal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGWINCH, SIGTSTP, SIGCONT, SIGHUP}) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, number);
  }
  return signals;
}

}  // namespace

TerminalSignals::TerminalSignals() {
  const sigset_t signals = signals_of_terminal();
  fd_.reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

TerminalSignals::~TerminalSignals() {
  take();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::vector<int> TerminalSignals::take() {
  std::vector<int> numbers;
  signalfd_siginfo signal{};
  while (read(fd_.get(), &signal, sizeof signal) == sizeof signal) {
    numbers.push_back(static_cast<int>(signal.ssi_signo));
  }
  return numbers;
}

// Not SIGSTOP: the kernel lets no job be stopped by this one that nobody could continue.
void TerminalSignals::stop_this_job() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  sigset_t before;
  pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  pthread_kill(pthread_self(), SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace drover::ui
