#include "tpcc/check_report.h"

#include <algorithm>

namespace drover::tpcc {

bool CheckReport::holds() const noexcept {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.holds(); });
}

}  // namespace drover::tpcc
