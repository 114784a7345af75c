// What this build is.
#pragma once

#include "report/result.h"

namespace drover::cli {

report::Tool tool();

}  // namespace drover::cli
