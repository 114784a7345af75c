// What the fuzz targets share. A target is a function of some bytes; libFuzzer calls it with ever
// others, and whatever ends the process is a finding: a sanitizer's report, an exception that is
// not caught, a require() that does not hold, more than 10 s, more than 2 GiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace drover::fuzz {

inline void require(bool holds, const char* what, std::string_view found = {}) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%.*s\n", what, static_cast<int>(found.size()),
               found.data());
  std::abort();
}

// What a target plants where a password stands; must not come out anywhere. The fuzzer learns it
// from the comparisons and would put it elsewhere, too: such inputs say nothing.
inline constexpr std::string_view secret = "sEcReT-4711";

inline bool holds_secret(std::string_view text) {
  return text.find(secret) != std::string_view::npos;
}

// Messages are one line that a terminal can show.
inline void require_message(std::string_view message) {
  require(!message.empty(), "a message says something");
  require(message.size() < 2000, "a message is short", message);
  for (const char c : message) {
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a message is printable", message);
  }
}

// The input as lines, so that one input can be several texts and a corpus stays readable.
inline std::vector<std::string> lines_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(data[i]);
    }
  }
  return lines;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace drover::fuzz

// libFuzzer's own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
