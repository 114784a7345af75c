// The folder of a search, and its report as one page.
#pragma once

#include <filesystem>

#include "search/record.h"

namespace drover::cli {

inline constexpr const char* search_record_name = "search.json";
inline constexpr const char* search_page_name = "report.html";

// Writes the search and, behind it, the report of the run that decided: the last confirmation, or
// the last run if there is none. `folder` has the results. Throws what reading and writing throw.
void write_search_report(const std::filesystem::path& page, const search::Record& record,
                         const std::filesystem::path& folder);

}  // namespace drover::cli
