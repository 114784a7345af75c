#include "database/embedded/server_error.h"

#include <fmt/format.h>

#include <system_error>

namespace drover::database::embedded {

ServerError system_error(std::string_view what, int error_number) {
  return ServerError(fmt::format("{}: {}", what, std::generic_category().message(error_number)));
}

}  // namespace drover::database::embedded
