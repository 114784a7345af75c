#include "measure/process.h"

#include <sys/resource.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace drover::measure {

namespace {

// The number after "name:" at the start of a line, or 0.
std::uint64_t status_number(std::string_view status, std::string_view name) {
  while (!status.empty()) {
    const std::size_t end = status.find('\n');
    std::string_view line = status.substr(0, end);
    status.remove_prefix(end == std::string_view::npos ? status.size() : end + 1);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    const std::size_t digits = line.find_first_not_of(" \t");
    if (digits == std::string_view::npos) return 0;
    std::uint64_t number = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), number);
    return number;
  }
  return 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessUsage parse_process_status(std::string_view status) {
  ProcessUsage usage;
  usage.rss_bytes = status_number(status, "VmRSS:") * 1024;
  usage.peak_rss_bytes = status_number(status, "VmHWM:") * 1024;
  usage.threads = status_number(status, "Threads:");
  return usage;
}

ProcessUsage read_process_usage() {
  std::ifstream file("/proc/self/status");
  const std::string status(std::istreambuf_iterator<char>(file), {});
  ProcessUsage usage = parse_process_status(status);
  rusage resources{};
  if (getrusage(RUSAGE_SELF, &resources) == 0) {
    usage.cpu_seconds = seconds(resources.ru_utime) + seconds(resources.ru_stime);
    if (usage.peak_rss_bytes == 0) {
      usage.peak_rss_bytes = static_cast<std::uint64_t>(resources.ru_maxrss) * 1024;
    }
  }
  return usage;
}

}  // namespace drover::measure
