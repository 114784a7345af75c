// Terminal: the screen on the terminal of the error stream, and the keys of the standard input.
//
// ncurses computes the bytes that change one picture into the next, and writes them to a file in
// memory. TerminalOutput brings them to the terminal without waiting. TerminalGuard restores the
// terminal if this process cannot.
//
// One per process, for one thread. Must be made before threads are started.
#pragma once

#include <termios.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "file/file_descriptor.h"
#include "ui/terminal/canvas.h"
#include "ui/terminal/terminal_guard.h"
#include "ui/terminal/terminal_output.h"

namespace drover::ui {

enum class Key : std::uint8_t {
  none,  // no key is waiting
  quit,
  charts,
  pause,
  help,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  repaint,
  other,
};

// Returns the reason why no screen is possible, whatever its size; none if it is possible. Must be
// called before threads are started.
std::optional<std::string> why_no_screen();

// Returns true if a screen is possible and the terminal is large enough for all panels.
bool screen_suits();

struct TerminalSize {
  int rows = 0;
  int columns = 0;
};

class Terminal {
 public:
  // Throws std::runtime_error if ncurses does not support the terminal.
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // True if the locale has UTF-8.
  bool unicode() const noexcept { return unicode_; }
  TerminalSize size() const noexcept { return size_; }
  int input_fd() const noexcept { return input_.get(); }
  TerminalOutput& output() noexcept { return output_; }
  StrayOutput& stray() noexcept { return stray_; }

  // False while the job is stopped or in the background.
  bool shown() const noexcept { return shown_; }

  // Returns false, and shows nothing, if the terminal has not accepted the previous picture.
  bool paint(const Canvas& canvas);
  void forget_picture() { forget_ = true; }  // the next picture is painted completely
  void take_size();                          // reads the new size

  Key key();
  // Returns true at the end of the input: key() returns none although the input is readable.
  bool input_ended() const noexcept;

  // Restores the terminal, before the job stops.
  void leave();
  // Shows the screen again if the job is in the foreground, else gives up the terminal.
  void return_if_in_foreground();

 private:
  struct Curses;

  bool in_foreground() const noexcept;
  void enter();
  void bring();  // outputs the bytes of ncurses

  bool unicode_;
  file::FileDescriptor input_;
  file::FileDescriptor output_fd_;
  TerminalOutput output_;
  StrayOutput stray_;
  TerminalSize size_;
  std::unique_ptr<Curses> curses_;
  std::unique_ptr<TerminalGuard> guard_;
  termios before_{};
  bool shown_ = false;
  bool forget_ = false;
};

}  // namespace drover::ui
