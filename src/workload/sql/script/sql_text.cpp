#include "workload/sql/script/sql_text.h"

#include <fmt/format.h>

#include <iterator>

namespace drover::sql {

void SqlText::append_variable(std::string_view name, Slot slot) {
  const std::size_t begin = text_.size();
  text_ += ':';
  text_ += name;
  places_.push_back({begin, text_.size()});
  parameters_.push_back(slot);
}

void SqlText::append_joint() {
  joints_.push_back(text_.size());
  text_ += ';';
}

void SqlText::trim_end() {
  text_.resize(text_.find_last_not_of(" \t\r\n\f\v") + 1);
}

std::vector<std::string_view> SqlText::joined() const {
  std::vector<std::string_view> statements;
  std::size_t begin = 0;
  for (const std::size_t joint : joints_) {
    statements.push_back(std::string_view(text_).substr(begin, joint - begin));
    begin = joint + 1;
  }
  statements.push_back(std::string_view(text_).substr(begin));
  return statements;
}

std::string SqlText::with_parameters() const {
  std::string result;
  std::size_t from = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    result.append(text_, from, places_[i].begin - from);
    fmt::format_to(std::back_inserter(result), "${}", i + 1);
    from = places_[i].end;
  }
  return result.append(text_, from);
}

void SqlText::render(const Variables& variables, std::string& out) const {
  std::size_t from = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!variables.is_set(parameters_[i])) continue;
    out.append(text_, from, places_[i].begin - from);
    variables.append_text(parameters_[i], out);
    from = places_[i].end;
  }
  out.append(text_, from);
}

bool append_parameter(const Variables& variables, Slot slot, std::string& out) {
  if (!variables.is_set(slot) || variables.is_null(slot)) return false;
  variables.append_text(slot, out);
  return true;
}

}  // namespace drover::sql
