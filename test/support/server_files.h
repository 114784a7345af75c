// The files of a test's server, for tests that go where no option of the private server leads.
#pragma once

#include <filesystem>
#include <string>

#include "support/test_server.h"

namespace drover::test {

// The folder with its data. Throws std::runtime_error if there is none.
std::filesystem::path data_folder(const TestServer& server);

// Runs a command of the shell as the owner of the server's data, which is not root. Throws
// std::runtime_error if it fails.
void run_as_owner(const TestServer& server, const std::string& command);

// A program of the PostgreSQL that the server runs, with its path.
std::string program(const TestServer& server, const std::string& name);

}  // namespace drover::test
