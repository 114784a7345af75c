#include "database/embedded/private_server.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"

namespace drover::database::embedded {
namespace {

class ServerLeaseTest : public testing::Test {
 protected:
  // The data is made once; each test starts and stops servers over it.
  static void SetUpTestSuite() {
    folder_ = std::make_unique<test::TemporaryFolder>();
    ServerOptions scratch = options();
    scratch.scratch = true;
    PrivateServer(scratch).start();
    PrivateServer(scratch).stop();
  }
  static void TearDownTestSuite() { folder_.reset(); }

  // Not scratch: these servers must outlive the process that started them.
  static ServerOptions options() {
    return {.data_root = folder_->path(),
            .settings = parse_settings({"fsync=off", "shared_buffers=16MB", "max_connections=20"}),
            .scratch = false};
  }
  static ServerStatus status() { return PrivateServer(options()).status(); }
  void TearDown() override { PrivateServer(options()).stop(StopMode::immediate); }

 private:
  static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

// Another process that acquires a lease and holds it until told.
class OtherUser {
 public:
  explicit OtherUser(const ServerOptions& options) {
    if (::pipe(to_child_.data()) != 0 || ::pipe(from_child_.data()) != 0) ::abort();
    pid_ = ::fork();
    if (pid_ == 0) hold(options);
    ::close(to_child_[0]);
    ::close(from_child_[1]);
  }
  ~OtherUser() {
    ::close(to_child_[1]);
    ::close(from_child_[0]);
    ::waitpid(pid_, nullptr, 0);
  }
  OtherUser(const OtherUser&) = delete;
  OtherUser& operator=(const OtherUser&) = delete;

  // The server's process as the other saw it, and whether the other started it.
  struct Acquired {
    pid_t server = 0;
    bool started_it = false;
  };
  Acquired wait_until_acquired() {
    Acquired acquired;
    if (::read(from_child_[0], &acquired, sizeof acquired) != sizeof acquired) return {};
    return acquired;
  }
  void release() {
    const char go = 1;
    EXPECT_EQ(::write(to_child_[1], &go, 1), 1);
    ::waitpid(pid_, nullptr, 0);
  }
  void be_killed() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  [[noreturn]] void hold(const ServerOptions& options) {
    ::close(to_child_[1]);
    try {
      ServerLease lease = ServerLease::acquire(options);
      const Acquired acquired{lease.server().status().pid, lease.started_it()};
      char go = 0;
      if (::write(from_child_[1], &acquired, sizeof acquired) < 0 ||
          ::read(to_child_[0], &go, 1) < 0) {
        ::_exit(1);
      }
      lease.release();
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }

  std::array<int, 2> to_child_{};
  std::array<int, 2> from_child_{};
  pid_t pid_ = 0;
};

TEST_F(ServerLeaseTest, StartsOnDemandAndStopsAfter) {
  {
    const ServerLease lease = ServerLease::acquire(options());
    EXPECT_TRUE(lease.started_it());
    EXPECT_TRUE(status().running);
    EXPECT_TRUE(status().on_demand);
  }
  EXPECT_FALSE(status().running);
}

TEST_F(ServerLeaseTest, MovedLeaseIsReleasedOnce) {
  ServerLease lease = ServerLease::acquire(options());
  {
    ServerLease moved = std::move(lease);
    moved.release();
    moved.release();
  }
  EXPECT_FALSE(status().running);
}

TEST_F(ServerLeaseTest, ServerStartedByHandIsKept) {
  PrivateServer(options()).start();
  {
    const ServerLease lease = ServerLease::acquire(options());
    EXPECT_FALSE(lease.started_it());
  }
  EXPECT_TRUE(status().running);
}

TEST_F(ServerLeaseTest, StartByHandKeepsAServerOnDemand) {
  {
    const ServerLease lease = ServerLease::acquire(options());
    EXPECT_EQ(PrivateServer(options()).start(), StartOutcome::already_running);
    EXPECT_FALSE(status().on_demand);
  }
  EXPECT_TRUE(status().running);
}

TEST_F(ServerLeaseTest, LastOfTwoProcessesStopsIt) {
  ServerLease lease = ServerLease::acquire(options());
  OtherUser other(options());
  const OtherUser::Acquired acquired = other.wait_until_acquired();
  EXPECT_EQ(acquired.server, status().pid);
  EXPECT_FALSE(acquired.started_it);
  lease.release();
  EXPECT_TRUE(status().running);
  other.release();
  EXPECT_FALSE(status().running);
}

TEST_F(ServerLeaseTest, OtherProcessMayLeaveFirst) {
  const ServerLease lease = ServerLease::acquire(options());
  OtherUser other(options());
  other.wait_until_acquired();
  other.release();
  EXPECT_TRUE(status().running);
}

TEST_F(ServerLeaseTest, ServerOfAKilledProcessIsUsedAgainAndThenStopped) {
  OtherUser other(options());
  const OtherUser::Acquired acquired = other.wait_until_acquired();
  EXPECT_TRUE(acquired.started_it);
  other.be_killed();
  EXPECT_TRUE(status().running);
  {
    const ServerLease lease = ServerLease::acquire(options());
    EXPECT_FALSE(lease.started_it());
    EXPECT_EQ(status().pid, acquired.server);
  }
  EXPECT_FALSE(status().running);
}

TEST_F(ServerLeaseTest, ManyAtOnceStartOneServer) {
  std::vector<std::unique_ptr<OtherUser>> others;
  for (int number = 0; number < 6; ++number) {
    others.push_back(std::make_unique<OtherUser>(options()));
  }
  std::set<pid_t> servers;
  int started = 0;
  for (const auto& other : others) {
    const OtherUser::Acquired acquired = other->wait_until_acquired();
    servers.insert(acquired.server);
    started += acquired.started_it ? 1 : 0;
  }
  EXPECT_EQ(servers.size(), 1U);
  EXPECT_GT(*servers.begin(), 0);
  EXPECT_EQ(started, 1);
  for (const auto& other : others) other->release();
  EXPECT_FALSE(status().running);
}

}  // namespace
}  // namespace drover::database::embedded
