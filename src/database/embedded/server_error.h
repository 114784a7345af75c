// What the private server throws when it cannot do what was asked: no PostgreSQL on the machine,
// a folder that cannot be used, a server that does not start. The message is whole: what was
// wrong, what was expected, what to do. It is printed as it is.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace drover::database::embedded {

class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "<what>: <text of error_number>".
template <class... Arguments>
ServerError system_failure(int error_number, fmt::format_string<Arguments...> what,
                           Arguments&&... arguments) {
  return ServerError(fmt::format("{}: {}", fmt::format(what, std::forward<Arguments>(arguments)...),
                                 std::generic_category().message(error_number)));
}

// What to do about a folder of the server's data that cannot be used; the option is of pg alone.
inline constexpr std::string_view another_data_folder =
    "name another folder in DROVER_DATA_HOME or, for the commands of 'drover pg', with --data-dir";

// system_failure() with that advice, where another folder would help.
template <class... Arguments>
ServerError folder_failure(int error_number, fmt::format_string<Arguments...> what,
                           Arguments&&... arguments) {
  const ServerError error =
      system_failure(error_number, what, std::forward<Arguments>(arguments)...);
  const bool is_of_machine =
      error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
  return is_of_machine ? error
                       : ServerError(fmt::format("{}; {}", error.what(), another_data_folder));
}

}  // namespace drover::database::embedded
