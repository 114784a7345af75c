// Terminal: the screen on the terminal of the error stream, and the keys of the standard input.
//
// ncurses decides what has to be written to change one picture into the next; it writes into a file
// in memory, and terminal_output.h brings that to the terminal without ever waiting. What becomes
// of the terminal if we do not end in an orderly way is terminal_guard.h's.
//
// One at a time in a process; one thread; to be made before others are started.
#pragma once

#include <termios.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "file/file_descriptor.h"
#include "ui/terminal/canvas.h"
#include "ui/terminal/stray_output.h"
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

struct TerminalSize {
  int rows = 0;
  int columns = 0;
};

class Terminal {
 public:
  // Throws std::runtime_error if the terminal is not one that can be used.
  Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // Whether its characters are those of Unicode, by the locale.
  bool unicode() const noexcept { return unicode_; }
  TerminalSize size() const noexcept { return size_; }
  int input_fd() const noexcept { return input_.get(); }
  TerminalOutput& output() noexcept { return output_; }
  StrayOutput& stray() noexcept { return stray_; }

  // Whether the screen is on it: not while the job is stopped or in the background.
  bool shown() const noexcept { return shown_; }

  // False if the terminal has not taken the picture before: then this one is left out.
  bool paint(const Canvas& canvas);
  void forget_picture() { forget_ = true; }  // the next one is painted whole
  void take_size();                          // it has changed

  Key key();
  // After key() has said none although there was something to read.
  bool input_ended() const noexcept;

  // Gives the terminal back, for as long as the job is stopped.
  void leave();
  // Takes it again, if the job is in its foreground; gives it up if it is not.
  void return_if_in_foreground();

 private:
  struct Curses;

  bool in_foreground() const noexcept;
  void enter();
  void bring();  // what ncurses has written

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
