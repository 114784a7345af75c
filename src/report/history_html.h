// A history as one HTML file: a chart in SVG with the changes marked, a sentence for each, and
// tables of all results. Opens without a network, runs nothing, is light or dark as the reader's
// system is, and prints.
//
// Pure function; nothing in the results can become markup (html_writer.h).
#pragma once

#include <string>

#include "report/history.h"

namespace drover::report {

std::string history_html(const History& history);

}  // namespace drover::report
