#include "workload/sql/clients/plan.h"

#include <cstddef>

namespace drover::sql {

load::Presentation presentation_of(const Plan& plan) {
  load::Presentation presentation;
  presentation.benchmark = "SQL";
  presentation.key = "sql";
  presentation.types.clear();
  for (std::size_t i = 0; i < plan.scripts->titles().size(); ++i) {
    presentation.types.push_back(
        {.name = plan.scripts->titles()[i], .share = plan.scripts->shares()[i]});
  }
  presentation.terminal = "client";
  presentation.looks_up_commits = false;
  return presentation;
}

}  // namespace drover::sql
