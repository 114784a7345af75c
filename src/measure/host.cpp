#include "measure/host.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <thread>

#include "file/bounded_file.h"

namespace drover::measure {

namespace {

// std::thread::hardware_concurrency may ignore the affinity mask, which `taskset` and containers
// use; the mask is what this client really has.
unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency();
}

}  // namespace

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
