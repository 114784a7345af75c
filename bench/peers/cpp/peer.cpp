#include "peer.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "measure/process.h"

namespace drover::peers {
namespace {

template <class Number>
Number argument(int argc, char** argv, int position, std::string_view name, std::string_view what) {
  Number value{};
  if (position >= argc) fail_usage(fmt::format("missing: {}, expected {}", name, what));
  const std::string_view text = argv[position];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || !(value > 0)) {
    fail_usage(fmt::format("{}: {}: expected {}", name, text, what));
  }
  return value;
}

}  // namespace

std::size_t count_argument(int argc, char** argv, int position, std::string_view name) {
  return argument<std::size_t>(argc, argv, position, name, "a whole number, at least 1");
}

double seconds_argument(int argc, char** argv, int position, std::string_view name) {
  return argument<double>(argc, argv, position, name, "seconds, more than 0");
}

void fail(std::string_view message) {
  fmt::print(stderr, "{}\n", message);
  std::exit(1);
}

void fail_usage(std::string_view message) {
  fmt::print(stderr, "{}\n", message);
  std::exit(2);
}

void print_steps(std::string_view version, const StepsFigures& figures) {
  fmt::print(R"({{"version": "{}", "operations": {}, "seconds": {}, "cpu_seconds": {}, )"
             R"("peak_bytes": {}, "rss_before_bytes": {}}})"
             "\n",
             version, figures.operations, figures.seconds, figures.cpu_seconds,
             measure::read_process_usage().peak_rss_bytes, figures.rss_before_bytes);
}

}  // namespace drover::peers
