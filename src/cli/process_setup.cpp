#include "cli/process_setup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

constexpr rlim_t mebibyte = 1 << 20;

// The main thread parses, prints, and runs libpq and the resolver. With 64 KiB a run on a database
// has crashed, with 96 none was seen to.
constexpr rlim_t main_stack = mebibyte / 4;
constexpr rlim_t main_stack_wanted = 8 * mebibyte;
// That of the system's threads by default, where nothing is limited, is 8 MiB; it is address space
// until it is used.
constexpr std::size_t thread_stack = 2 * mebibyte;

// Opens the standard files that are closed, so that no other file gets their numbers. Reading from
// the standard input and writing to the standard output then fail. Progress and notes may get lost.
void open_standard_files() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
  }
}

// The loader calls it before the libraries begin: gRPC opens an event file when it is loaded.
using Function = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const Function before_libraries = open_standard_files;

// The soft limit becomes `wanted`, or as much of it as may be; says what it is then.
rlim_t raise_limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return RLIM_INFINITY;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlimit raised{.rlim_cur = std::min(wanted, limit.rlim_max), .rlim_max = limit.rlim_max};
  return setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

void require_main_stack() {
  const rlim_t stack = raise_limit(RLIMIT_STACK, main_stack_wanted);
  if (stack >= main_stack) return;
  throw std::runtime_error(fmt::format(
      "the stack is limited to {} KiB (ulimit -s), and drover needs {} KiB. Raise the limit",
      stack / 1024, main_stack / 1024));
}

// Not what ulimit -s says, which the C library takes for the default.
void give_threads_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t size = 0;
  pthread_attr_getstacksize(&attributes, &size);
  if (size < thread_stack && pthread_attr_setstacksize(&attributes, thread_stack) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
}

// "; it is limited to 900 MiB (ulimit -v)", or nothing.
int write_limit(char* text, std::size_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return std::snprintf(text, size, "; it is limited to %llu MiB (ulimit -v)",
                       static_cast<unsigned long long>(limit.rlim_cur / mebibyte));
}

// There is no memory: nothing here may ask for any.
[[noreturn]] void out_of_memory() {
  std::array<char, 200> text{};
  std::array<char, 100> limit{};
  write_limit(limit.data(), limit.size());
  const int length = std::snprintf(
      text.data(), text.size(),
      "drover: error: out of memory: the system gives this process no more memory%s\n",
      limit.data());
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length));
  _exit(exit_failure);
}

}  // namespace

void set_up_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_new_handler(out_of_memory);
  raise_limit(RLIMIT_NOFILE, RLIM_INFINITY);
  give_threads_stack();
  require_main_stack();
}

}  // namespace drover::cli
