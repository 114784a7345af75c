// Plan: a run of scripts, validated and with every "auto" resolved. Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "load/plan.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

struct Plan : load::Plan {
  std::shared_ptr<const ScriptSet> scripts;  // never null in a run
  std::vector<Definition> definitions;       // of variables; they win over the built-in ones
  std::int64_t scale = 1;
};

// For Plan::presentation: the scripts are the types of transactions.
load::Presentation presentation_of(const Plan& plan);

}  // namespace drover::sql
