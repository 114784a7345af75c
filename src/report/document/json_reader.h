// JsonReader: reads JSON (RFC 8259) from front to back without building a tree, so that skipped
// values cost no memory.
//
//   JsonReader json(text);
//   json.object([&](std::string_view key) {
//     if (key == "count") count = json.whole_number(1000);
//     else json.skip();
//   });
//   json.finish();
//
// All functions throw JsonError if the text has something else, with the place ("a.b[3].c"), what
// was expected and what was found. Values nest at most json_depth_max levels, so that a hostile
// text cannot exhaust the stack. Texts must be UTF-8. `text` must outlive the reader. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::report {

inline constexpr std::size_t json_depth_max = 32;

// The message is one printable line. Quoted text is shortened and escaped.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text);

  // Calls on_member(key) for each member, which must read or skip the value. The key is valid until
  // on_member returns. Does not detect equal keys.
  template <class OnMember>
  void object(OnMember&& on_member) {
    if (!open('{', '}', "an object")) return;
    do {
      read_key();
      on_member(std::string_view(steps_.back().key));
    } while (goes_on('}'));
  }

  // Calls on_element(index) for each element, which must read or skip it.
  template <class OnElement>
  void array(OnElement&& on_element) {
    if (!open('[', ']', "a list")) return;
    std::size_t index = 0;
    do {
      steps_.back().index = index;
      on_element(index++);
    } while (goes_on(']'));
  }

  std::string text(std::size_t bytes_max);
  bool boolean();
  std::uint64_t whole_number(std::uint64_t high);  // from 0
  std::int64_t whole_number(std::int64_t low, std::int64_t high);
  double number(double low, double high);
  bool null();  // returns true and reads it, if null is next
  void skip();  // skips any value

  // Refuses anything but blanks after the document.
  void finish();

  // Throws an error at the value that was read last, or at the current object or list.
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;

 private:
  struct Step {
    bool in_array = false;
    std::string key;
    std::size_t index = 0;
  };

  bool open(char bracket, char closing, std::string_view what);
  bool goes_on(char closing);
  void read_key();
  char next_character();  // the first one of the next value or sign
  void scan_text(std::string* into);
  void scan_escape(std::string* into);
  char32_t scan_hex();
  std::string_view scan_number();
  template <class Whole>
  Whole scan_whole_number(Whole low, Whole high);
  void scan_digits();
  bool take(std::string_view word);
  std::string place() const;
  std::string found_here() const;
  [[noreturn]] void refuse_cut() const;
  [[noreturn]] void refuse_syntax(std::string_view expected) const;
  [[noreturn]] void refuse_value(std::string_view expected) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Step>
      steps_;  // open objects and lists; never reallocated, because keys are handed out
};

}  // namespace drover::report
