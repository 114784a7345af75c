#include "run/needs.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "database/embedded/configuration.h"
#include "file/bounded_file.h"
#include "measure/host.h"
#include "text/plain_text.h"

namespace drover::run {
namespace {

// Each worker has its epoll and its wake-up.
constexpr std::size_t descriptors_of_thread = 2;
// The main worker's two, that which takes signals, and those that watch the server.
constexpr std::size_t descriptors_of_command = 5;

// A terminal takes 350 in its sleep, 900 where all are in their transactions, as they are when the
// machine cannot keep up (measured with ten million).
constexpr std::uint64_t bytes_of_terminal = 900;

constexpr double gibibyte = 1 << 30;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::string used =
      measure::value_of_line(file::text_or_nothing("/proc/self/status"), "VmSize");
  return limit.rlim_cur - std::min(limit.rlim_cur, number_in(used).value_or(0) * 1024);
}

}  // namespace

std::optional<std::uint64_t> parse_memory_available(std::string_view meminfo) {
  const auto kibibytes = number_in(measure::value_of_line(meminfo, "MemAvailable"));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::uint64_t memory_available() {
  const std::uint64_t most = database::embedded::memory_bytes_of_machine();
  return std::min({most,
                   parse_memory_available(file::text_or_nothing("/proc/meminfo")).value_or(most),
                   address_space_left().value_or(most)});
}

void require_descriptors(DatabaseKind kind, std::size_t connections, std::size_t threads) {
  rlimit limit{};
  if (kind == DatabaseKind::ydb || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  std::error_code error;  // one more is open while they are counted, as others are for a moment
  const auto open_files = static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), {}));
  const std::size_t needed =
      open_files + connections + threads * descriptors_of_thread + descriptors_of_command;
  if (needed <= limit.rlim_cur) return;
  throw std::runtime_error(
      fmt::format("{} on {} need {} open files, and this process may open only {} (ulimit -n). "
                  "Raise the limit, or use fewer connections",
                  text::counted(connections, "connection"), text::counted(threads, "thread"),
                  needed, limit.rlim_cur));
}

void require_address_space_for_threads(std::size_t threads) {
  const std::optional<std::uint64_t> left = address_space_left();
  pthread_attr_t attributes;
  if (!left || pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t stack = 0;
  pthread_attr_getstacksize(&attributes, &stack);
  pthread_attr_destroy(&attributes);
  const std::uint64_t needed = threads * stack;
  if (needed <= *left) return;
  throw std::runtime_error(
      fmt::format("the stacks of {} need {:.1f} GiB of address space, and only {:.1f} GiB are left "
                  "(ulimit -v). Raise the limit, or use fewer threads",
                  text::counted(threads, "thread"), static_cast<double>(needed) / gibibyte,
                  static_cast<double>(*left) / gibibyte));
}

void require_memory_for_terminals(std::size_t terminals) {
  const std::uint64_t needed = terminals * bytes_of_terminal;
  const std::uint64_t available = memory_available();
  if (needed <= available) return;
  throw std::runtime_error(
      fmt::format("{} terminals need {:.1f} GiB of memory, and only {:.1f} GiB are available. Use "
                  "fewer terminals or clients",
                  terminals, static_cast<double>(needed) / gibibyte,
                  static_cast<double>(available) / gibibyte));
}

}  // namespace drover::run
