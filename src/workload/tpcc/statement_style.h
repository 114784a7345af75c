// How the transactions are put into statements: what can go together goes together, or a statement
// a row, as the BenchBase family does.
#pragma once

#include <cstdint>

namespace drover::tpcc {

enum class StatementStyle : std::uint8_t { batched, single };

}  // namespace drover::tpcc
