// The machine that a program runs on, in words: the client's environment in a result.
#pragma once

#include <string>
#include <string_view>

namespace drover::measure {

struct Host {
  std::string hostname;
  std::string os;         // the distribution's name and the kernel's release
  unsigned cpus = 0;      // those that this process may run on
  std::string cpu_model;  // see cpu_model(); empty if the system does not say
};

// Any thread. What cannot be found stays empty.
Host describe_host();

// The value of the first "key : value" or KEY="value" line: the forms of /proc/cpuinfo and of
// /etc/os-release. Empty if there is none.
std::string value_of_line(std::string_view text, std::string_view key);

// What a /proc/cpuinfo says of the processors: their name, or on ARM, where there is none, the
// numbers that stand for it. Empty if it has neither.
std::string cpu_model(std::string_view cpuinfo);

}  // namespace drover::measure
