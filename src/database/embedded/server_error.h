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

}  // namespace drover::database::embedded
