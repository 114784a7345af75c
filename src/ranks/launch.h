// The members of a run on other hosts, started by mpirun: its command line as a pure function, and the process.
//
// mpirun starts the members and ends those that stay when it is ended. That is all that is asked of it: the loss of one
// leaves the others alone (--enable-recovery), and then it does not end by itself when they do: its owner
// ends it. A host that no longer answers is given up after half a minute, by mpirun and by its daemon there, which
// then ends what it has started.
//
// A Launch lives on one worker. It is to be made in the main thread, whose death is mpirun's: the kernel knows no
// better.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "file/file_descriptor.h"

namespace drover::ranks {

// One rank's host: where it is, and what people call the rank.
struct Host {
  std::string address;
  std::string name;

  bool operator==(const Host&) const = default;
};

inline constexpr size_t hosts_max = 10'000;

// "a,b,c": a rank a host, in this order. A host that is named twice has two: a and a#2. Throws std::invalid_argument
// with a sentence where a name is empty, or is none that mpirun takes as a host's.
std::vector<Host> parse_hosts(std::string_view text);

struct LaunchRequest {
  std::vector<Host> hosts;
  std::filesystem::path program;         // the same on each host
  std::vector<std::string> words;        // behind it
  std::vector<std::string> environment;  // names of this process's variables that the members get
  std::string run;                       // a name that no other launch has, of letters, digits, "-"
};

// mpirun and its arguments. What the user has set by OMPI_MCA_… or ssh's own files goes before: how to reach a host is
// his.
std::vector<std::string> mpirun_words(const LaunchRequest& request);

// The end of mpirun as a person reads it, and whether it was orderly.
struct LaunchEnd {
  std::string what;  // "ended with exit code 1"
  bool succeeded = false;
};

class Launch {
 public:
  // Starts mpirun (the first word, by PATH) in a session of its own, so that no Ctrl-C of the terminal reaches it, with
  // nothing to read. `variables` (NAME=VALUE) are added to this process's. Throws std::runtime_error: it is not there.
  Launch(const std::vector<std::string>& words, const std::vector<std::string>& variables);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  // Kills it if it lives: its daemons on the other hosts see that, and end what they have started.
  ~Launch();

  // Until mpirun has ended. `on_line` is called with each line that it, or what it has started, writes meanwhile,
  // without the line break, cut at line_bytes_max. To be called once.
  coro::Task<LaunchEnd> ended(std::function<void(std::string)> on_line);

  pid_t process() const { return process_; }

  // Waits so long for it to end by itself.
  coro::Task<void> end_by_itself(coro::Duration patience);

  // Asks mpirun to end all that is left of what it has started: SIGTERM, and after `patience` SIGKILL. Returns when that
  // is done; ended() tells its end. Members that live have 5 s until mpirun sends them SIGTERM, and 5 s more until it
  // kills them, those beside it first: 20 s. A mpirun that has lost a host does not end before it is killed.
  coro::Task<void> end(coro::Duration patience);

  static constexpr size_t line_bytes_max = 1000;

 private:
  pid_t process_ = 0;  // 0: its end was seen
  file::FileDescriptor output_;
};

// The last act of a member that has lost the launch: ends mpirun's daemon on this host, and with it other members here.
// On a host that is cut off it would stay for a quarter of an hour, for it tells the end of the member by a TCP
// connection, and one with data on its way has no keepalive. Nothing where the parent is no such daemon.
void end_daemon_of_launch();

}  // namespace drover::ranks
