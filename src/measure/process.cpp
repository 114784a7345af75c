#include "measure/process.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <thread>

#include "file/bounded_file.h"

namespace drover::measure {

namespace {

// Returns the number after "key:" at the beginning of a line, or 0.
std::uint64_t status_number(std::string_view status, std::string_view key) {
  const std::string text = fmt::format("\n{}", status);
  const std::string begin = fmt::format("\n{}:", key);
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return 0;
  const std::size_t digits =
      std::min(text.find_first_not_of(" \t", at + begin.size()), text.size());
  std::uint64_t number = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return number;
}

double seconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// std::thread::hardware_concurrency may ignore the affinity mask, which `taskset` and containers
// use.
unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency();
}

}  // namespace

ProcessUsage parse_process_status(std::string_view status) {
  ProcessUsage usage;
  usage.rss_bytes = status_number(status, "VmRSS") * 1024;
  usage.peak_rss_bytes = status_number(status, "VmHWM") * 1024;
  usage.threads = status_number(status, "Threads");
  return usage;
}

double process_cpu_seconds() {
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

ProcessUsage read_process_usage() {
  ProcessUsage usage = parse_process_status(file::text_or_nothing("/proc/self/status"));
  rusage resources{};
  if (getrusage(RUSAGE_SELF, &resources) == 0) {
    usage.cpu_seconds = seconds(resources.ru_utime) + seconds(resources.ru_stime);
    if (usage.peak_rss_bytes == 0) {
      usage.peak_rss_bytes = static_cast<std::uint64_t>(resources.ru_maxrss) * 1024;
    }
  }
  return usage;
}

std::optional<RunQueueTimes> parse_run_queue_times(std::string_view schedstat) {
  std::array<std::int64_t, 3> numbers{};
  const char* at = schedstat.data();
  const char* const end = at + schedstat.size();
  for (std::int64_t& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) return std::nullopt;
    at = next;
  }
  if (at != end && *at != '\n' && *at != ' ') return std::nullopt;
  return RunQueueTimes{.running = std::chrono::nanoseconds(numbers[0]),
                       .waited = std::chrono::nanoseconds(numbers[1]),
                       .slices = static_cast<std::uint64_t>(numbers[2])};
}

std::optional<RunQueueTimes> read_run_queue_times(pid_t tid) {
  return parse_run_queue_times(
      file::text_or_nothing(fmt::format("/proc/self/task/{}/schedstat", tid)));
}

// The second field, the name of the program, may contain ")" and blanks.
std::optional<double> start_ticks_of(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  constexpr int fields_before = 19;  // from the third to the 22nd
  for (int i = 0; i <= fields_before; ++i) {
    const std::size_t blank = stat.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(blank + 1);
  }
  double ticks = 0;
  const auto [rest, error] = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  if (error != std::errc()) return std::nullopt;
  return ticks;
}

double process_start_unix_s() {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto ticks = start_ticks_of(file::text_or_nothing("/proc/self/stat"));
  const double uptime = seconds(CLOCK_BOOTTIME);
  if (!ticks || uptime == 0) return now;
  return now - uptime + *ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string value_of_line(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    const std::size_t separator = line.find_first_not_of(" \t");
    if (separator == std::string_view::npos) continue;
    if (line[separator] != ':' && line[separator] != '=') continue;
    line.remove_prefix(separator + 1);
    const std::size_t first = line.find_first_not_of(" \t\"");
    if (first == std::string_view::npos) return "";
    const std::size_t last = line.find_last_not_of(" \t\"\r");
    return std::string(line.substr(first, last - first + 1));
  }
  return "";
}

std::string cpu_model(std::string_view cpuinfo) {
  const std::string name = value_of_line(cpuinfo, "model name");
  if (!name.empty()) return name;
  const std::string implementer = value_of_line(cpuinfo, "CPU implementer");
  const std::string part = value_of_line(cpuinfo, "CPU part");
  if (implementer.empty() || part.empty()) return "";
  return fmt::format("ARM, implementer {}, part {}", implementer, part);
}

Host describe_host() {
  Host host;
  utsname names{};
  if (uname(&names) == 0) {
    host.hostname = names.nodename;
    host.os = std::string(names.sysname) + " " + names.release;
  }
  const std::string distribution =
      value_of_line(file::text_or_nothing("/etc/os-release"), "PRETTY_NAME");
  if (!distribution.empty()) host.os = distribution + ", " + host.os;
  host.cpus = usable_cpus();
  host.cpu_model = cpu_model(file::text_or_nothing("/proc/cpuinfo"));
  return host;
}

}  // namespace drover::measure
