// The hosts that made the load together, as a table of texts: for the summary, pages and Markdown. Pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

struct LoadHostColumn {
  const char* heading;  // short, for text
  const char* caption;  // for pages
  std::function<std::string(const RankResult&)> cell;
};

struct LoadHostTable {
  std::vector<LoadHostColumn> columns;
  std::vector<std::vector<std::string>> rows;  // the name, and a text for each column
  std::string rest;                            // how many hosts are not among them; empty: none
};

LoadHostTable load_host_table(const Result& result);

}  // namespace drover::report
