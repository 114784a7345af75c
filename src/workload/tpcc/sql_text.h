// The texts that a database is sent, as a file of SQL has them: "--: condition NAME" or "--: statement NAME" begins one, and
// "--: shared NAME" what several have in common; "--: WORD VALUE" says of it what is not sent; lines that begin with "--"
// alone are for the reader.
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::tpcc {

struct SqlText {
  std::string name;
  std::vector<std::pair<std::string_view, std::string_view>> fields = {};  // words and their values
  std::string text = {};  // without the end of its last line
};

// `line_end`: a blank makes one line of each text, without what lines are indented by.
std::vector<SqlText> sql_texts(std::string_view file, char line_end = '\n');

// The text with what is shared, and what `made` has, in the place of their names in braces.
using MadeText = std::pair<const char*, std::string>;
std::string filled_in(std::string_view text, const std::vector<SqlText>& file,
                      const std::vector<MadeText>& made = {});

}  // namespace drover::tpcc
