#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <pg_config.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string_view>

#include "cli/build_commit.h"
#include "run/usage_error.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "unknown"
#endif

namespace drover::cli {
namespace {

constexpr rlim_t mebibyte = 1 << 20;

// The main thread executes libpq and the resolver. Runs crashed with 64 KiB, and none with 96 KiB.
constexpr rlim_t main_stack = mebibyte / 4;
constexpr rlim_t main_stack_wanted = 8 * mebibyte;
constexpr std::size_t thread_stack = 2 * mebibyte;

// Opens /dev/null in place of closed standard files, so that reading from the standard input and
// writing to the standard output fail.
void open_standard_files() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
  }
}

// The loader calls this function before it initialises libraries, because gRPC opens a file then.
using Function = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] const Function before_libraries = open_standard_files;

// Raises the soft limit to `wanted`, or to the hard limit if that is lower. Returns the soft limit.
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

// Sets the stack size of threads, which the C library would take from ulimit -s.
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

// Must not allocate memory.
[[noreturn]] void out_of_memory() {
  std::array<char, 200> text{};
  std::array<char, 100> limit{};
  rlimit bytes{};
  if (getrlimit(RLIMIT_AS, &bytes) == 0 && bytes.rlim_cur != RLIM_INFINITY) {
    std::snprintf(limit.data(), limit.size(), "; it is limited to %llu MiB (ulimit -v)",
                  static_cast<unsigned long long>(bytes.rlim_cur / mebibyte));
  }
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

std::string own_program() {
  // Linux appends this text when the file was replaced, for example by an upgrade.
  constexpr std::string_view gone = " (deleted)";
  std::string path = std::filesystem::read_symlink("/proc/self/exe").native();
  if (path.ends_with(gone)) path.resize(path.size() - gone.size());
  return path;
}

std::string own_version() {
  const report::Tool own = tool();
  return fmt::format("{} {}", own.version, own.commit);
}

report::Tool tool() {
  return {.name = "drover",
          .version = DROVER_VERSION,
          .commit = DROVER_COMMIT,
          .compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__,
                                  __clang_patchlevel__)};
}

std::string commit_date() {
  return DROVER_COMMIT_DATE;
}

std::string version_text() {
  const report::Tool self = tool();
  std::string text = fmt::format("{} {}\n", self.name, self.version);
  text += fmt::format("commit    {} of {}\n", self.commit, commit_date());
  text += fmt::format("compiler  {}\n", self.compiler);
  // 150018 is 15.18. Versions before 10, which had three parts, are not supported.
  const int libpq = PQlibVersion();
  text +=
      fmt::format("libpq     {}.{}, built with {}\n", libpq / 10'000, libpq % 10'000, PG_VERSION);
  text += fmt::format("with      CLI11 {}, fmt {}.{}.{}, nlohmann-json {}.{}.{}", CLI11_VERSION,
                      FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100,
                      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                      NLOHMANN_JSON_VERSION_PATCH);
  return text;
}

}  // namespace drover::cli
