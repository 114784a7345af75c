// `drover report --markdown`: the short form, for a pull request: the verdict, the table of the
// transactions, and differences if there are several results.
//
// What comes from a result stays text: see markdown_text.h. Pure function; any thread.
#pragma once

#include <string>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Requires: at least one result. Differences are against the first.
std::string markdown_report(const std::vector<NamedResult>& results);

}  // namespace drover::report
