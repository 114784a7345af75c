// The report of a search as one page: the answer, a picture of all runs, their table, and behind
// them the report of the run that decided.
//
// Not synchronised: one thread at a time.
#pragma once

#include <filesystem>

#include "search/record.h"

namespace drover::search {

// The run that decided is the last confirmation, or the last run if there is none. `folder` has the
// results. Throws what reading and writing throw.
void write_search_page(const std::filesystem::path& page, const Record& record,
                       const std::filesystem::path& folder);

}  // namespace drover::search
