// Child processes that start the agents of a distributed run: an ssh for each remote host, and the
// agent itself on this host.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "file/file_descriptor.h"

namespace drover::ranks {

// The host of one agent, and its name in messages.
struct Host {
  std::string address;
  std::string name;

  // Returns true for "localhost" and the loopback addresses, which need no ssh.
  bool is_local() const;
  bool operator==(const Host&) const = default;
};

inline constexpr std::size_t hosts_max = 10'000;

// Returns one host for each name in "a,b,c". A name that occurs twice stands for two agents: a and
// a#2. Throws std::invalid_argument if a name is empty or is not a host name, an IPv4 address,
// "::1" or USER@HOST.
std::vector<Host> parse_hosts(std::string_view text);

// Returns the command that runs `words` on the host: through ssh, or directly on a local one. `ssh`
// is the ssh program, followed by the user's options, separated by blanks.
std::vector<std::string> start_words(const Host& host, std::string_view ssh,
                                     const std::vector<std::string>& words);

// One child process. Belongs to one worker. Must be made on the main thread: the kernel ties a
// child to the thread that forked it.
class Starter {
 public:
  // The fate of the child if the Starter, or this process, ends first.
  enum class Lifetime {
    // The child is killed with its process group. For ssh.
    ends_with_starter,
    // The child keeps running, and gets SIGCONT in case it was stopped. For an agent, which ends
    // when
    // its connection to the coordinator closes.
    goes_on,
  };

  // Starts the command, whose first word is found by PATH, in a session of its own, so that Ctrl-C
  // in the terminal does not reach it. `input`, at most 4 KiB, is its standard input. Throws
  // std::runtime_error if there is no such program.
  Starter(const std::vector<std::string>& words, const std::string& input, Lifetime lifetime);
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter();

  // Waits for the end of the child and returns its status, as waitpid() does. Calls `on_line` with
  // each line that the child writes to either output, cut at line_bytes_max. To be called once.
  coro::Task<int> ended(std::function<void(std::string)> on_line);

  pid_t process() const { return process_; }

  static constexpr std::size_t line_bytes_max = 1000;

 private:
  const Lifetime lifetime_;
  pid_t process_ = 0;  // 0: its status was collected
  file::FileDescriptor output_;
};

// Returns why a host was lost whose agent did not join. `last_line` is the last line of the
// process's output.
std::string end_reason(const Host& host, int status, const std::string& program,
                       const std::string& last_line);

}  // namespace drover::ranks
