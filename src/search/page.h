// The part of a search in its report: the answer, a picture of all runs, and their table.
//
// Not synchronised: one thread at a time.
#pragma once

#include "report/html_writer.h"
#include "search/record.h"

namespace drover::search {

// A <section>; the writer is within the <main> of a page with report::report_style and
// search_style.
void write_search_section(report::HtmlWriter& html, const Record& record);

inline constexpr report::Literal search_style = R"css(
.dots path.line { stroke-width: 9px; stroke-opacity: .75; }
.gap rect { fill: var(--warn-back); } .gap .edge { stroke: none; }
)css";

}  // namespace drover::search
