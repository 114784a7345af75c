#include "tpcc/isolation.h"

namespace drover::tpcc {

std::string_view isolation_name(Isolation isolation) noexcept {
  switch (isolation) {
    case Isolation::read_committed:
      return "read committed";
    case Isolation::repeatable_read:
      return "repeatable read";
    case Isolation::snapshot:
      return "snapshot";
    case Isolation::serializable:
      return "serializable";
  }
  return "";
}

}  // namespace drover::tpcc
