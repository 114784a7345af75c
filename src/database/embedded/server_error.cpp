#include "database/embedded/server_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace drover::database::embedded {

ServerError system_error(std::string_view what, int error_number) {
  return ServerError(fmt::format("{}: {}", what, std::generic_category().message(error_number)));
}

ServerError folder_error(std::string_view what, int error_number) {
  const bool is_of_folder =
      error_number != EMFILE && error_number != ENFILE && error_number != ENOMEM;
  if (!is_of_folder) return system_error(what, error_number);
  return ServerError(fmt::format("{}: {}; {}", what, std::generic_category().message(error_number),
                                 another_data_folder));
}

}  // namespace drover::database::embedded
