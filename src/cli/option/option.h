// An option of a command: its names, its help, and the typed variable that it sets.
//
// The type of the variable determines how a word is read, which words are refused, and what help,
// completion and man page show. Not thread-safe. Errors are UsageError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "run/usage_error.h"

namespace drover::cli {

struct Option;

// Bounds of a number or a duration (in seconds), both included. long double is exact for every
// 64-bit integer.
struct Range {
  long double low = 0;
  long double high = 0;
};

inline constexpr coro::Duration longest_duration = std::chrono::hours(24 * 365);

constexpr Range between(coro::Duration low, coro::Duration high) {
  return {coro::seconds_of(low), coro::seconds_of(high)};
}
constexpr Range at_least(coro::Duration low) {
  return between(low, longest_duration);
}

// "name" or an error message: an option that another one requires or excludes, and why. Messages
// end with `why`.
struct Relation {
  std::string option;
  std::string why;
};

// The database of an option that not every database has.
enum class OnlyOn : std::uint8_t { any, postgres, ydb };

// Properties that few options have.
struct OptionDetails {
  std::string default_text{};  // empty: the variable's value when the option is declared
  std::optional<Range> range{};
  std::vector<std::string> only{};   // the allowed words
  std::optional<Relation> needs{};   // must be given, too
  std::vector<Relation> excludes{};  // must not be given, too
  OnlyOn only_on = OnlyOn::any;
  std::string instead{};  // ends the message for another database: "For YDB, use --tx-mode …"
  char delimiter = '\0';  // of a list: "a,b" is two values
  bool several = false;   // of a list: "--base a b" is two values
  bool required = false;
  bool configurable = true;  // by environment variables and the file of --config
  bool is_input = false;     // the command reads the file that is named; "-": standard input
  bool common = false;       // one of about ten options that the short help shows
  std::string variable{};    // environment variable of the option in every command: DROVER_DB
};

// Returns the properties of both: in_range(1, 100) + common_option.
OptionDetails operator+(OptionDetails one, const OptionDetails& other);

inline const OptionDetails required_option{.required = true};
inline const OptionDetails command_line_only{.configurable = false};
inline const OptionDetails common_option{.common = true};
inline const OptionDetails comma_list{.delimiter = ','};
inline const OptionDetails several_words{.several = true};
inline const OptionDetails input_file{.is_input = true};
inline const OptionDetails on_postgres{.only_on = OnlyOn::postgres};
inline const OptionDetails on_ydb{.only_on = OnlyOn::ydb};
inline OptionDetails in_range(Range range) {
  return {.range = range};
}
inline OptionDetails in_range(long double low, long double high) {
  return {.range = Range{low, high}};
}
inline OptionDetails default_is(std::string text) {
  return {.default_text = std::move(text)};
}
inline OptionDetails instead(std::string text) {
  return {.instead = std::move(text)};
}
inline OptionDetails needs(std::string option, std::string why) {
  return {.needs = Relation{std::move(option), std::move(why)}};
}
inline OptionDetails excludes(std::string option, std::string why) {
  return {.excludes = {{std::move(option), std::move(why)}}};
}

// The words of an enumeration, and their values.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

// Functions that read a word of an option into a value, and show a value as a user would write it.
template <class Value>
struct Syntax {
  std::function<Value(const Option& option, const std::string& word)> read;
  std::function<std::string(const Value&)> text = [](const Value&) { return std::string(); };
};

namespace detail {

// Type is Value, std::optional<Value> or std::vector<Value>.
template <class Type>
struct Shape {
  using Value = Type;
  static constexpr bool is_optional = false;
  static constexpr bool is_list = false;
};
template <class Type>
struct Shape<std::optional<Type>> : Shape<Type> {
  static constexpr bool is_optional = true;
};
template <class Type>
struct Shape<std::vector<Type>> : Shape<Type> {
  static constexpr bool is_list = true;
};

}  // namespace detail

// The variable that an option sets.
class OptionTarget {
 public:
  using Words = std::vector<std::string>;

  // The words are kept in the option, and no variable is set.
  OptionTarget() = default;

  // Sets a flag (bool), a text, a number, a duration, or a list of texts or numbers. An optional
  // variable becomes empty if the user writes "auto" and `value` contains this word: "N|auto".
  template <class Variable>
  OptionTarget(Variable* variable);  // NOLINT(google-explicit-constructor)

  // Sets a value that has a syntax of its own, a list of such values, or an optional.
  template <class Variable, class Value>
  OptionTarget(Variable* variable, Syntax<Value> syntax);

  bool is_flag = false;
  bool is_list = false;
  bool is_whole = false;  // whole numbers
  bool is_duration = false;
  bool is_text = false;  // any text, without a syntax
  Words only{};          // the words of an enumeration

  std::function<void(const Option&, const Words&)> read = [](const Option&, const Words&) {};
  std::function<std::string()> text = [] { return std::string(); };
};

// Sets an enumeration, a list of its values, or an optional.
template <class Variable>
OptionTarget one_of(Variable* variable, Choices<typename detail::Shape<Variable>::Value> choices);

// Sets a duration that is kept as a number of seconds.
OptionTarget in_seconds(double* variable);

enum class ValueKind : std::uint8_t { none, text, file, folder };

struct Option : OptionDetails {
  // `names`: "-w,--warehouses", or the name of an argument, without dashes. `value` is how the help
  // writes the value: "W|auto", of which the words in small letters are completed; empty for a flag
  // and for an enumeration, which shows its words.
  Option(std::string_view names, OptionTarget target, std::string value, std::string description,
         OptionDetails details = {});

  std::vector<std::string> names;  // "-w", "--warehouses", or the name of an argument
  OptionTarget target;
  std::string value;
  std::string description;  // one paragraph
  std::string group;
  ValueKind kind = ValueKind::text;
  std::vector<std::string> choices;  // the words among the values: "auto"
  std::vector<std::string> words;    // the words that were given
  // The source of the words, as messages end: " (from the variable …)"; empty: the command line.
  std::string origin;

  const std::string& name() const { return names.back(); }  // the long name, as messages begin
  bool is_argument() const { return !name().starts_with('-'); }
  bool is_flag() const { return kind == ValueKind::none; }
  bool is_list() const { return target.is_list; }
  bool is_given() const { return !words.empty(); }
  // Returns true if the option was given with a value other than its default. For a flag: if it is
  // true, since an environment variable can also set it to false.
  bool is_set() const;
  // The words that were given, or the default.
  std::string written() const;
  // The name of the option in variables and files, without dashes; empty if neither may set it.
  std::string key() const;
  std::string range_text() const;  // "1 to 1000", or empty
  // Reads the words into the variable. Throws UsageError, which says what was expected, and then
  // has not set the variable: "--pace fast: expected a number".
  void give(const std::vector<std::string>& given, std::string from = {});
  [[noreturn]] void refuse(const std::string& word) const;

 private:
  std::string expected() const;
  std::vector<std::string> split(const std::vector<std::string>& given) const;
  bool requires_text() const;
};

// "bash, zsh or fish"
std::string alternatives(const std::vector<std::string>& words);

// Options other than --db show their value in messages. libpq allows blanks around the sign.
bool may_hold_password(std::string_view option, std::string_view value);

// "10m", "90s", "250ms"
std::string duration_text(coro::Duration duration);

// A number and a unit, "90s", "1.5m", "250ms"; "0" needs no unit. Throws UsageError about the
// option `name`.
coro::Duration parse_duration(std::string_view name, const std::string& text);

// The syntax of "2/4", the second of four parts: 1 <= I <= N <= most.
using Pair = std::pair<std::uint64_t, std::uint64_t>;
Syntax<Pair> part_syntax(std::uint64_t most);

// The syntax of "101-200": 1 <= A <= B <= most.
Syntax<Pair> range_syntax(std::uint64_t most);

// The syntax of "5%" or "5", low <= P <= high: a share of 1. Messages show `example`.
Syntax<double> percent_syntax(double low, double high, std::string example = "5%");

// The syntax of a time between `now()` and a week later: Unix seconds, or ISO 8601 with a zone,
// such as "2026-11-25T20:00:00Z". The value is in Unix seconds.
Syntax<double> start_time_syntax(std::function<double()> now);

// ---- Implementation of OptionTarget

namespace detail {

// Returns true if the word is "auto" and the option accepts it: its value is shown as "N|auto".
bool is_automatic(const Option& option, const std::string& word);

// The syntax of bool, std::string, double, whole numbers and coro::Duration.
template <class Value>
Syntax<Value> plain_syntax();
template <>
Syntax<bool> plain_syntax();
template <>
Syntax<std::string> plain_syntax();
template <>
Syntax<coro::Duration> plain_syntax();

}  // namespace detail

template <class Variable>
OptionTarget::OptionTarget(Variable* variable)
    : OptionTarget(variable, detail::plain_syntax<typename detail::Shape<Variable>::Value>()) {
  using Value = typename detail::Shape<Variable>::Value;
  is_flag = std::is_same_v<Value, bool>;
  is_whole = std::is_integral_v<Value> && !is_flag;
  is_duration = std::is_same_v<Value, coro::Duration>;
  is_text = std::is_same_v<Value, std::string>;
}

template <class Variable, class Value>
OptionTarget::OptionTarget(Variable* variable, Syntax<Value> syntax) {
  using Shape = detail::Shape<Variable>;
  is_list = Shape::is_list;
  text = [variable, show = syntax.text] {
    std::string all;
    if constexpr (Shape::is_list) {
      for (const auto& value : *variable) all += (all.empty() ? "" : ",") + show(value);
    } else if constexpr (Shape::is_optional) {
      if (*variable) all = show(**variable);
    } else {
      all = show(*variable);
    }
    return all;
  };
  read = [variable, read_value = std::move(syntax.read)](const Option& option, const Words& words) {
    if constexpr (Shape::is_list) {
      Variable values;
      for (const std::string& word : words) values.push_back(read_value(option, word));
      *variable = std::move(values);
    } else if (Shape::is_optional && detail::is_automatic(option, words.back())) {
      *variable = Variable{};
    } else {
      *variable = read_value(option, words.back());
    }
  };
}

template <class Variable>
OptionTarget one_of(Variable* variable, Choices<typename detail::Shape<Variable>::Value> choices) {
  using Value = typename detail::Shape<Variable>::Value;
  const auto read = [choices](const Option& option, const std::string& given) -> Value {
    const auto found = std::ranges::find(choices, given, &Choices<Value>::value_type::first);
    if (found == choices.end()) option.refuse(given);
    return found->second;
  };
  const auto text = [choices](const Value& value) {
    const auto found = std::ranges::find(choices, value, &Choices<Value>::value_type::second);
    return found == choices.end() ? std::string() : found->first;
  };
  OptionTarget target(variable, Syntax<Value>{read, text});
  for (const auto& choice : choices) target.only.push_back(choice.first);
  return target;
}

}  // namespace drover::cli
