// A result, and what it is called where several are shown: by its file, as a rule. Plain values.
#pragma once

#include <string>

#include "report/result.h"

namespace drover::report {

struct NamedResult {
  std::string name;
  Result result;
};

}  // namespace drover::report
