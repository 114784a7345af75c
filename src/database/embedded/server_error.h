// What the private server throws when it cannot do what was asked: no PostgreSQL on the machine,
// a folder that cannot be used, a server that does not start. The message is whole: what was
// wrong, what was expected, what to do. It is printed as it is.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::database::embedded {

class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "<what>: <text of error_number>".
ServerError system_error(std::string_view what, int error_number);

// What to do about a folder of the server's data that cannot be used; the option is of pg alone.
inline constexpr std::string_view another_data_folder =
    "name another folder in DROVER_DATA_HOME, or, for the commands of drover pg, with --data-dir";

// system_error() with that advice, where another folder would help.
ServerError folder_error(std::string_view what, int error_number);

}  // namespace drover::database::embedded
