#include "support/ydb_test_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace drover::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* test_folder = DROVER_TEST_FOLDER;

fs::path virtual_environment() {
  const char* named = std::getenv("YDB_VENV");
  if (named != nullptr) return named;
  return fs::path(test_folder).parent_path() / "build" / "ydb_venv";
}

// Nothing of whoever runs the tests decides to which PostgreSQL the server connects.
std::vector<std::string> environment_of_server() {
  std::vector<std::string> variables = {fmt::format("PYTHONPATH={}", test_folder),
                                        "GRPC_VERBOSITY=ERROR"};
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (text.starts_with("PG") || text.starts_with("PYTHON") || text.starts_with("GRPC_")) continue;
    variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t spawn(std::vector<std::string> command, int input, int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (input >= 0) ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::vector<std::string> variables = environment_of_server();
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> environment = pointers_to(variables);
  pid_t process = -1;
  const int error = ::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(),
                                  environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
  }
  return process;
}

int exit_code_of(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

// No other child of this process may keep an end open.
Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  return {ends[0], ends[1]};
}

std::string why_there_is_none() {
  const fs::path make_venv = fs::path(test_folder) / "ydb_server" / "make_venv";
  if (exit_code_of(spawn({make_venv, virtual_environment()}, -1, -1)) == 0) return {};
  const std::string reason =
      fmt::format("{} has failed (its reason is above)", make_venv.filename().string());
  const char* offline = std::getenv("DROVER_OFFLINE");
  if (offline == nullptr || std::string_view(offline) != "1") throw std::runtime_error(reason);
  return fmt::format("DROVER_OFFLINE=1, and {}", reason);
}

class Socket {
 public:
  explicit Socket(std::uint16_t port) : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(file_, generic, sizeof address) != 0) {
      ::close(file_);
      throw std::runtime_error("the control port of the YDB server cannot be reached");
    }
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { ::close(file_); }

  void send_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(file_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0) throw std::runtime_error("the YDB server hears nothing at its control port");
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::string receive_all() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t received = ::recv(file_, buffer.data(), buffer.size(), 0);
      if (received <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(received));
    }
  }

 private:
  int file_;
};

}  // namespace

const std::string& YdbTestServer::reason_to_skip() {
  static const std::string reason = why_there_is_none();
  return reason;
}

YdbTestServer::YdbTestServer(YdbTestServerOptions options) : options_(std::move(options)) {
  if (!reason_to_skip().empty()) throw std::runtime_error(reason_to_skip());
  if (options_.postgres.empty()) {
    own_postgres_ = std::make_unique<TestServer>(std::vector<std::string>{
        fmt::format("max_connections={}", options_.postgres_connections + 20),
        "deadlock_timeout=10ms"});
    options_.postgres = own_postgres_->conninfo();
  }
  launch();
}

YdbTestServer::~YdbTestServer() {
  ::close(input_);
  exit_code_of(process_);
}

void YdbTestServer::launch() {
  const fs::path python = virtual_environment() / "bin" / "python3";
  std::vector<std::string> command = {python,
                                      "-B",
                                      "-m",
                                      "ydb_server",
                                      "--pg",
                                      options_.postgres,
                                      "--schema",
                                      options_.schema,
                                      "--nodes",
                                      std::to_string(options_.nodes),
                                      "--database",
                                      options_.database,
                                      "--pg-connections",
                                      std::to_string(options_.postgres_connections)};
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
  const Pipe input = make_pipe();
  const Pipe output = make_pipe();
  process_ = spawn(std::move(command), input.read_end, output.write_end);
  ::close(input.read_end);
  ::close(output.write_end);
  input_ = input.write_end;
  read_ready_line(output.read_end);
  ::close(output.read_end);
}

void YdbTestServer::read_ready_line(int output) {
  std::string line;
  char letter = 0;
  while (::read(output, &letter, 1) == 1 && letter != '\n') line += letter;
  const auto ready = nlohmann::json::parse(line, nullptr, false);
  if (!ready.is_object()) {
    ::close(input_);
    throw std::runtime_error(fmt::format(
        "the server of YDB's protocol has not started: exit code {}", exit_code_of(process_)));
  }
  ports_ = ready.at("ports").get<std::vector<std::uint16_t>>();
  control_port_ = ready.at("control").get<std::uint16_t>();
}

std::string YdbTestServer::url() const {
  return fmt::format("ydb://127.0.0.1:{}{}", ports_.front(), options_.database);
}

nlohmann::json YdbTestServer::control(const std::string& method, const std::string& path,
                                      const std::string& body) {
  const Socket socket(control_port_);
  socket.send_all(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                              method, path, body.size(), body));
  const std::string answer = socket.receive_all();
  const std::size_t begin = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.1 200") || begin == std::string::npos) {
    throw std::runtime_error(fmt::format("{} {} {}: {}", method, path, body, answer));
  }
  return nlohmann::json::parse(answer.substr(begin + 4));
}

}  // namespace drover::test
