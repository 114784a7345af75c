// SqlText: a message to the server, one SQL statement or several that were joined by `\;`, with the variables that it
// mentions. It can be rendered in two ways: with parameters, for the extended protocol, and as text alone.
//
// Constant when the script is read; any thread may render it with variables of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workload/sql/expression/variables.h"

namespace drover::sql {

class SqlText {
 public:
  // What the protocol can number.
  static constexpr std::size_t parameters_max = 65'535;

  // The text as it was written, with `:name` where variables stand.
  const std::string& text() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }

  // How many `\;` it has: a text with any goes by the simple protocol only.
  std::size_t joints() const noexcept { return joints_.size(); }
  // The statements that were joined, as they were written; the only one, if none were.
  std::vector<std::string_view> joined() const;

  // With $1, $2, … in place of the variables. A variable that is mentioned twice has two numbers, for the server may
  // find two types for it.
  std::string with_parameters() const;
  // Which variable each of them is.
  const std::vector<Slot>& parameters() const noexcept { return parameters_; }

  // Appends the text with the values in it. A variable that is not set stays as it was written: in `array[1:n]` it may
  // be none.
  void render(const Variables& variables, std::string& out) const;

  // For who reads the script.
  void append(std::string_view text) { text_ += text; }
  void append_variable(std::string_view name, Slot slot);  // with its colon
  void append_joint();
  void trim_end();

 private:
  struct Place {  // of a variable in the text
    std::size_t begin;
    std::size_t end;
  };

  std::string text_;
  std::vector<Place> places_;        // in their order
  std::vector<Slot> parameters_;     // of the same places
  std::vector<std::size_t> joints_;  // where their ';' stands in the text
};

// Appends the value of a parameter; false if it is NULL: null, or not set.
bool append_parameter(const Variables& variables, Slot slot, std::string& out);

}  // namespace drover::sql
