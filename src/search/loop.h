// The loop of a search: executes the runs that steps.h asks for, until no load is left to try.
//
// The caller provides functions that execute a run and store its result, so that tests need no
// database. To be used by one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "report/document/result.h"
#include "search/record.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::search {

// What a search asks of whoever makes it. What these throw ends the search.
struct Surroundings {
  // Nothing if it was interrupted: then it does not count.
  std::function<std::optional<report::Result>(const Step&)> run;
  std::function<void(const std::string& file, const report::Result&)> keep_result;
  std::function<void(const Record&)> keep_record;  // after each run
  std::function<void(const std::string& text)> show;
};

// False if it was interrupted before its end. `record` has the runs so far, which are shown again.
bool go_on(Record& record, const Rules& rules, const Surroundings& surroundings);

}  // namespace drover::search
