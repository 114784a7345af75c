// A terminal for tests: a pair of descriptors, of which one is as a terminal's.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>

#include "file/file_descriptor.h"

namespace drover::ui {

class PseudoTerminal {
 public:
  PseudoTerminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
    if (!master_ || grantpt(master_.get()) != 0 || unlockpt(master_.get()) != 0) {
      throw std::runtime_error("no pseudo terminal");
    }
    std::array<char, 100> name{};
    ptsname_r(master_.get(), name.data(), name.size());
    terminal_.reset(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }

  int master() const { return master_.get(); }
  int terminal() const { return terminal_.get(); }

  termios modes() const {
    termios modes{};
    tcgetattr(terminal_.get(), &modes);
    return modes;
  }

  // What a person would see until `end` comes; all of it if it does not come for long.
  std::string shown_until(const std::string& end) {
    std::string text;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (text.find(end) == std::string::npos && std::chrono::steady_clock::now() < limit) {
      pollfd readable{.fd = master_.get(), .events = POLLIN, .revents = 0};
      poll(&readable, 1, 1'000);
      text += shown();
    }
    return text;
  }

  // What is there now.
  std::string shown() {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t count = read(master_.get(), part.data(), part.size());
      if (count <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  file::FileDescriptor master_;
  file::FileDescriptor terminal_;
};

}  // namespace drover::ui
