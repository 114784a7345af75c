#include "ui/terminal/terminal.h"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

// terminfo defines these words as macros.
#undef lines
#undef columns

namespace drover::ui {
namespace {

// Time for the rest of an escape sequence.
constexpr int escape_timeout_ms = 25;
constexpr coro::Duration leave_timeout = std::chrono::seconds(1);
// The size that has room for all panels.
constexpr TerminalSize suitable_size{.rows = 24, .columns = 80};

bool locale_is_unicode() {
  // NOLINTBEGIN(concurrency-mt-unsafe): before any thread is started
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  // NOLINTEND(concurrency-mt-unsafe)
}

// Follows https://no-color.org.
bool colour_is_wanted() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

TerminalSize size_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {24, 80};
  return {std::min<int>(size.ws_row, Canvas::side_most),
          std::min<int>(size.ws_col, Canvas::side_most)};
}

// Sets a variable of the environment until its destructor.
class Variable {
 public:
  // NOLINTBEGIN(concurrency-mt-unsafe): before any thread is started
  Variable(const char* name, int value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, std::to_string(value).c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  // NOLINTEND(concurrency-mt-unsafe)

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Restores the handlers of signals that ncurses changes.
class KeptSignals {
 public:
  KeptSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], nullptr, &actions_[i]);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;
  ~KeptSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &actions_[i], nullptr);
  }

 private:
  static constexpr std::array numbers = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
  std::array<struct sigaction, numbers.size()> actions_{};
};

// The output of append_to_capability(): tputs() takes a function without a context.
std::string* capability_out = nullptr;
int append_to_capability(int byte) {
  capability_out->push_back(static_cast<char>(byte));
  return byte;
}

void append_capability(std::string& out, const char* name) {
  const char* text = tigetstr(name);
  if (text == nullptr || text == reinterpret_cast<const char*>(-1)) return;
  capability_out = &out;
  tputs(text, 1, append_to_capability);
}

// Returns the bytes that restore colours, cursor, keypad and the normal screen.
std::string leave_bytes() {
  std::string bytes;
  for (const char* name : {"op", "sgr0", "cnorm", "rmkx"}) append_capability(bytes, name);
  const std::size_t before = bytes.size();
  append_capability(bytes, "rmcup");
  bytes += bytes.size() == before ? "\r\n" : "\r";
  return bytes;
}

// Each style with a colour also has an attribute or is used with a word.
std::array<cchar_t, style_count> make_looks(bool colour) {
  struct Look {
    Style style;
    attr_t attributes;
    short colour;
  };
  constexpr short none = -1;
  constexpr std::array<Look, style_count> styles = {{{Style::normal, A_NORMAL, none},
                                                     {Style::faint, A_DIM, none},
                                                     {Style::strong, A_BOLD, none},
                                                     {Style::title, A_REVERSE, none},
                                                     {Style::heading, A_BOLD, none},
                                                     {Style::good, A_NORMAL, COLOR_GREEN},
                                                     {Style::warning, A_BOLD, COLOR_RED},
                                                     {Style::throughput, A_NORMAL, COLOR_CYAN},
                                                     {Style::latency, A_NORMAL, COLOR_YELLOW}}};
  std::array<cchar_t, style_count> looks{};
  for (const Look& look : styles) {
    const auto i = static_cast<std::size_t>(look.style);
    short pair = 0;
    if (colour && look.colour != none) {
      pair = static_cast<short>(i + 1);
      init_pair(pair, look.colour, -1);
    }
    const wchar_t blank[] = {L' ', L'\0'};
    setcchar(&looks[i], blank, look.attributes, pair, nullptr);
  }
  return looks;
}

}  // namespace

std::optional<std::string> why_no_screen() {
  if (isatty(STDERR_FILENO) == 0) return "the error stream is not a terminal";
  if (isatty(STDIN_FILENO) == 0) return "the standard input is not a terminal";
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started
  const char* type = std::getenv("TERM");
  if (type == nullptr || *type == '\0') return "TERM is not set, so the terminal type is unknown";
  if (std::string_view(type) == "dumb")
    return "TERM is \"dumb\", a terminal type that cannot position text";
  int found = 0;
  if (setupterm(type, STDERR_FILENO, &found) != OK) {
    return "terminfo does not know the terminal type in TERM (to test it: infocmp)";
  }
  const char* address = tigetstr("cup");
  const bool positions = address != nullptr && address != reinterpret_cast<const char*>(-1);
  del_curterm(cur_term);
  if (!positions) return "the terminal type in TERM cannot position text";
  const pid_t foreground = tcgetpgrp(STDIN_FILENO);  // fails without a controlling terminal
  if (foreground > 0 && foreground != getpgrp()) return "drover is a background job";
  return std::nullopt;
}

bool screen_suits() {
  if (why_no_screen()) return false;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= suitable_size.columns &&
         size.ws_row >= suitable_size.rows;
}

// The ncurses screen, whose output is a file in memory.
struct Terminal::Curses {
  Curses(file::FileDescriptor& input, TerminalSize size) {
    const int memory = memfd_create("screen", MFD_CLOEXEC);
    if (memory < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    out.reset(fdopen(memory, "w"));
    in.reset(fdopen(dup(input.get()), "r"));
    // ncurses cannot ask the file for the size of the terminal.
    const Variable lines("LINES", size.rows);
    const Variable columns("COLUMNS", size.columns);
    const KeptSignals kept;
    if (out != nullptr && in != nullptr) screen = newterm(nullptr, out.get(), in.get());
    if (screen == nullptr) {
      throw std::runtime_error("ncurses does not support this terminal (check TERM)");
    }
    set_escdelay(escape_timeout_ms);
    curs_set(0);
    const bool colour = colour_is_wanted() && has_colors();
    if (colour) {
      start_color();
      use_default_colors();
    }
    looks = make_looks(colour);
    // wgetch() paints its window, unless the window is a pad.
    keys = newpad(1, 1);
    keypad(keys, TRUE);
    nodelay(keys, TRUE);
  }
  Curses(const Curses&) = delete;
  Curses& operator=(const Curses&) = delete;
  ~Curses() {
    delwin(keys);
    delscreen(screen);
  }

  // Returns the output since the last call.
  std::string take_bytes() const {
    const int memory = fileno(out.get());
    const off_t size = lseek(memory, 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
    const ssize_t count = pread(memory, bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (ftruncate(memory, 0) == 0) lseek(memory, 0, SEEK_SET);
    return bytes;
  }

  void place(const Canvas& canvas, int row, int columns) const {
    std::vector<cchar_t> line;
    line.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
      const Cell& cell = canvas.at(row, column);
      if (cell.point == 0) continue;  // the right half of a wide character
      line.push_back(looks[static_cast<std::size_t>(cell.style)]);
      line.back().chars[0] = static_cast<wchar_t>(cell.point);
    }
    mvadd_wchnstr(row, 0, line.data(), static_cast<int>(line.size()));
  }

  std::unique_ptr<FILE, int (*)(FILE*)> out{nullptr, fclose};
  std::unique_ptr<FILE, int (*)(FILE*)> in{nullptr, fclose};
  SCREEN* screen = nullptr;
  WINDOW* keys = nullptr;
  std::array<cchar_t, style_count> looks{};
};

Terminal::Terminal()
    : unicode_(locale_is_unicode()),
      input_(open_terminal_of(STDIN_FILENO)),
      output_fd_(open_terminal_of(STDERR_FILENO)),
      output_(output_fd_.get()),
      size_(size_of(output_fd_.get())),
      curses_(std::make_unique<Curses>(input_, size_)),
      guard_(std::make_unique<TerminalGuard>(input_.get(), output_fd_.get(), stray_.fd(),
                                             leave_bytes())) {
  enter();
  stray_.capture();
}

Terminal::~Terminal() {
  if (shown_) leave();
  // If output still waits for the terminal, the guard restores the terminal later.
  if (output_.pending()) {
    output_.give_up();
    return;
  }
  guard_->end();
}

bool Terminal::in_foreground() const noexcept {
  const pid_t foreground = tcgetpgrp(input_.get());
  // The call fails for a terminal that is not the controlling terminal.
  return foreground <= 0 ? errno == ENOTTY : foreground == getpgrp();
}

// Reads single keys without echo. Ctrl-C, Ctrl-Z and Ctrl-S keep their meaning.
void Terminal::enter() {
  if (tcgetattr(input_.get(), &before_) != 0) return;
  termios screen = before_;
  screen.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | IEXTEN);
  screen.c_cc[VMIN] = 1;
  screen.c_cc[VTIME] = 0;
  guard_->begin(before_, screen);
  tcsetattr(input_.get(), TCSANOW, &screen);
  // The guard compares with the mode that the driver has really set.
  if (tcgetattr(input_.get(), &screen) == 0) guard_->begin(before_, screen);
  keypad(curses_->keys, TRUE);
  shown_ = true;
  forget_ = true;
}

void Terminal::leave() {
  if (!shown_) return;
  shown_ = false;
  endwin();
  bring();
  const bool left = output_.flush_within(leave_timeout);
  tcsetattr(input_.get(), TCSANOW, &before_);
  if (left) guard_->end();
}

void Terminal::return_if_in_foreground() {
  if (output_.gone()) return;
  if (!in_foreground()) {
    // After SIGSTOP and bg, the terminal belongs to the shell.
    if (shown_) endwin();
    curses_->take_bytes();
    shown_ = false;
    guard_->end();
    return;
  }
  take_size();
  if (shown_) endwin();  // enter() then sets all modes again
  curses_->take_bytes();
  enter();
}

void Terminal::take_size() {
  size_ = size_of(output_fd_.get());
  resizeterm(size_.rows, size_.columns);
}

void Terminal::bring() {
  output_.write(curses_->take_bytes());
}

bool Terminal::paint(const Canvas& canvas) {
  if (!shown_ || output_.gone()) return true;
  if (!output_.flush()) return false;
  const int columns = std::min(canvas.columns(), size_.columns);
  for (int row = 0; row < std::min(canvas.rows(), size_.rows); ++row) {
    curses_->place(canvas, row, columns);
  }
  if (std::exchange(forget_, false)) clearok(curscr, TRUE);
  wnoutrefresh(stdscr);
  doupdate();
  bring();
  return true;
}

Key Terminal::key() {
  static const std::map<int, Key> keys = {{ERR, Key::none},
                                          {'q', Key::quit},
                                          {'Q', Key::quit},
                                          {'t', Key::charts},
                                          {'T', Key::charts},
                                          {'p', Key::pause},
                                          {'P', Key::pause},
                                          {'?', Key::help},
                                          {'h', Key::help},
                                          {KEY_UP, Key::up},
                                          {KEY_DOWN, Key::down},
                                          {KEY_PPAGE, Key::page_up},
                                          {KEY_NPAGE, Key::page_down},
                                          {KEY_HOME, Key::home},
                                          {KEY_END, Key::end},
                                          {'L' - '@', Key::repaint}};
  const auto key = keys.find(wgetch(curses_->keys));
  return key == keys.end() ? Key::other : key->second;
}

bool Terminal::input_ended() const noexcept {
  pollfd input{.fd = input_.get(), .events = POLLIN, .revents = 0};
  return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace drover::ui
