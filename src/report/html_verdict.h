// The head of a result's part of a report: whether it can be trusted, and the figures that matter
// most. Any thread.
#pragma once

#include <string>

#include "report/html_writer.h"
#include "report/result.h"

namespace drover::report {

// What the audit comes to, as an icon, a class of the style sheet and words.
struct VerdictBadge {
  std::string icon;
  std::string style;  // "good", "warn", "bad", "none"
  std::string sentence;
};
VerdictBadge badge_of(const Result& result);

void write_verdict(HtmlWriter& html, const Result& result);

}  // namespace drover::report
