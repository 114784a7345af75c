// Connection strings with several hosts: a primary, its standby, hosts that are down or silent.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/embedded/private_server.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/shared_snapshot.h"
#include "support/server_files.h"
#include "support/temporary_folder.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A socket that takes connections and says nothing.
class SilentHost {
 public:
  SilentHost() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (folder_.path() / ".s.PGSQL.5432").string();
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error("path too long");
    path.copy(address.sun_path, path.size());
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 5) != 0) {
      throw std::runtime_error("no socket");
    }
  }
  SilentHost(const SilentHost&) = delete;
  SilentHost& operator=(const SilentHost&) = delete;
  ~SilentHost() { ::close(listener_); }

  std::string host() const { return folder_.path().string(); }

 private:
  test::TemporaryFolder folder_;
  int listener_;
};

// A server in hot standby on a copy of another one's data; it waits for WAL that never comes.
class Standby {
 public:
  explicit Standby(test::TestServer& primary) : primary_(primary) {
    const fs::path data = test::data_folder(primary);
    struct stat owner{};
    if (::stat(data.c_str(), &owner) != 0 ||
        ::chown(folder_.path().c_str(), owner.st_uid, owner.st_gid) != 0) {
      throw std::runtime_error("no folder for the standby");
    }
    copy_ = folder_.path() / "data";
    primary.stop(embedded::StopMode::fast);
    test::run_as_owner(primary, fmt::format("cp -a {} {}", data.string(), copy_.string()));
    // Its settings lie beside it.
    fs::copy_file(data.parent_path() / "drover.conf", folder_.path() / "drover.conf");
    primary.start();
    test::run_as_owner(primary, fmt::format("mkdir {}", host()));
    test::run_as_owner(primary, fmt::format("touch {}/standby.signal", copy_.string()));
    pg_ctl_ = fmt::format("{} -w -D {}", test::program(primary, "pg_ctl"), copy_.string());
    test::run_as_owner(primary,
                       fmt::format("{} -l {}/log -o \"-k {} -p 5432 -c listen_addresses='' "
                                   "-c shared_buffers=16MB\" start",
                                   pg_ctl_, copy_.string(), host()));
  }
  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;
  ~Standby() {
    try {
      test::run_as_owner(primary_, pg_ctl_ + " -m immediate stop");
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  std::string host() const { return copy_.string() + "/run"; }

  void signal(int number) const {
    pid_t pid = 0;
    std::ifstream(copy_ / "postmaster.pid") >> pid;
    ASSERT_GT(pid, 0);
    ASSERT_EQ(::kill(pid, number), 0);
  }

 private:
  test::TestServer& primary_;
  test::TemporaryFolder folder_;
  fs::path copy_;
  std::string pg_ctl_;
};

class Hosts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    primary = std::make_unique<test::TestServer>(std::vector<std::string>{"wal_level=replica"});
    standby = std::make_unique<Standby>(*primary);
  }
  static void TearDownTestSuite() {
    standby.reset();
    primary.reset();
  }

  static std::string primary_host() {
    const std::string conninfo = primary->conninfo();
    return conninfo.substr(5, conninfo.find(' ') - 5);
  }

  static std::string conninfo(const std::string& hosts, const std::string& more = "") {
    return fmt::format("host={} user=drover dbname=drover {}", hosts, more);
  }

  // Who answers.
  std::string answer(const std::string& text) {
    try {
      const auto connection = coro::block_on(worker, Connection::open(text));
      const Result result = coro::block_on(worker, connection->query("SELECT pg_is_in_recovery()"));
      return result.text(0, 0) == "t" ? "standby" : "primary";
    } catch (const Error& error) {
      return fmt::format("{}: {}", error_class_name(error.error_class()), error.what());
    }
  }

  static std::unique_ptr<test::TestServer> primary;
  static std::unique_ptr<Standby> standby;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> Hosts::primary;
std::unique_ptr<Standby> Hosts::standby;

TEST_F(Hosts, TheSessionAttributesChoose) {
  const std::string down = "/nowhere";
  struct Case {
    std::string hosts;
    const char* attributes;
    const char* expected;
  };
  const std::string p = primary_host();
  const std::string s = standby->host();
  for (const Case& c :
       {Case{s + "," + p, "any", "standby"}, Case{p + "," + s, "any", "primary"},
        Case{s + "," + p, "read-write", "primary"}, Case{s + "," + p, "primary", "primary"},
        Case{p + "," + s, "read-only", "standby"}, Case{p + "," + s, "standby", "standby"},
        Case{p + "," + s, "prefer-standby", "standby"},
        Case{p + "," + down, "prefer-standby", "primary"},
        Case{down + "," + down + "," + p, "read-write", "primary"}}) {
    const std::string more = fmt::format("target_session_attrs={}", c.attributes);
    EXPECT_EQ(answer(conninfo(c.hosts, more)), c.expected) << c.hosts << " " << more;
  }
}

TEST_F(Hosts, EachFormOfAListIsRead) {
  const std::string p = primary_host();
  EXPECT_EQ(answer(conninfo("/nowhere," + p, "port=5432")), "primary");
  EXPECT_EQ(answer(conninfo("/nowhere," + p, "port=5433,5432")), "primary");
  EXPECT_EQ(answer(conninfo(p + "," + p, "port=5433,5432")), "primary");
  // Addresses in place of names: nobody listens, and both are asked.
  const std::string refused = answer("hostaddr=127.0.0.1,127.0.0.2 port=1 user=drover");
  EXPECT_NE(refused.find("cannot connect to any of 2 hosts"), std::string::npos) << refused;
  EXPECT_NE(refused.find("127.0.0.2"), std::string::npos) << refused;
  // No name: libpq's own default, and then the next.
  EXPECT_EQ(answer(conninfo("/nowhere," + p, "port=1,")), "primary") << "the default of a gap";
  EXPECT_EQ(answer(conninfo("," + p, "port=5499,5432")), "primary");
  EXPECT_EQ(answer(fmt::format("postgresql://drover@:5433,:5432/drover?host={0},{0}", p)),
            "primary");
  EXPECT_NE(answer(conninfo("/nowhere," + p, "port=1,2,3")).find("3 port numbers to 2 hosts"),
            std::string::npos);
  ::setenv("PGHOST", ("/nowhere," + p).c_str(), 1);
  EXPECT_EQ(answer("user=drover dbname=drover"), "primary");
  ::unsetenv("PGHOST");
}

// The time is each host's: libpq's own walk through the list would end here.
TEST_F(Hosts, ASilentOneDoesNotHideTheNext) {
  const SilentHost silent;
  // The time is the healthy one's, too: on a machine that stands still it takes several attempts.
  const auto answer_in_the_end = [this](const std::string& where) {
    std::string answered;
    for (int attempt = 0; attempt < 10 && answered != "primary"; ++attempt)
      answered = answer(where);
    return answered;
  };
  EXPECT_EQ(answer_in_the_end(conninfo(silent.host() + "," + primary_host(), "connect_timeout=2")),
            "primary");
  standby->signal(SIGSTOP);
  EXPECT_EQ(answer_in_the_end(conninfo("/nowhere," + standby->host() + "," + primary_host(),
                                       "connect_timeout=2 target_session_attrs=read-write")),
            "primary");
  standby->signal(SIGCONT);
}

// psql connects in these cases, too.
TEST_F(Hosts, OneThatCannotBeReachedDoesNotHideTheNext) {
  const SilentHost silent;
  const std::string p = primary_host();
  std::string answered;
  for (int attempt = 0; attempt < 10 && answered != "primary"; ++attempt) {
    answered = answer(conninfo(silent.host() + ",," + p, "port=5432,1,5432 connect_timeout=2"));
  }
  EXPECT_EQ(answered, "primary");
  EXPECT_EQ(answer(conninfo(p + "," + p, "port=99999,5432")), "primary");
  EXPECT_EQ(answer(conninfo(p + "," + p, "port=-1,5432")), "primary");
  const std::string text = answer(conninfo(p + "," + p, "port=99999,0"));
  EXPECT_NE(text.find("port=99999: expected a port from 1 to 65535"), std::string::npos) << text;
}

TEST_F(Hosts, AServiceNamesThem) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "services").string();
  std::ofstream(file) << "[two]\nhost=a,b\nport=7,8\ndbname=d\nuser=u\npassword=s3cret\n"
                      << "connect_timeout=3\n[real]\nhost=/nowhere," << primary_host()
                      << "\nuser=drover\ndbname=drover\n";
  ::setenv("PGSERVICEFILE", file.c_str(), 1);
  EXPECT_THAT(Connection::hosts_of("service=two"), testing::ElementsAre("a:7", "b:8"));
  EXPECT_THAT(Connection::hosts_of("service=two host=c port=9"), testing::ElementsAre("c:9"));
  EXPECT_EQ(connect_timeout_of("service=two"), 3s);
  EXPECT_EQ(connect_timeout_of("service=two connect_timeout=4"), 4s);
  EXPECT_EQ(describe_conninfo("service=two dbname=e"),
            "host=a,b port=7,8 dbname=e user=u service=two");
  EXPECT_EQ(answer("service=real"), "primary");
  const auto problem = conninfo_problem("service=three");
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("\"three\" not found"), std::string::npos) << *problem;
  ::unsetenv("PGSERVICEFILE");
}

// A balancer's address that leads to the standby first: a symbolic link in place of the socket.
class TurningWay {
 public:
  void turn_to(const std::string& host) const {
    const fs::path next = folder_.path() / "next";
    fs::create_symlink(host + "/.s.PGSQL.5432", next);
    fs::rename(next, folder_.path() / ".s.PGSQL.5432");
  }
  std::string conninfo() const {
    return fmt::format("host={} user=drover dbname=drover", folder_.path().string());
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(Hosts, ASessionThatNeedsThePrimaryIsConnectedUntilItHasOne) {
  for (const ServerRole role : {ServerRole::primary, ServerRole::writable}) {
    const TurningWay way;
    way.turn_to(standby->host());
    std::unique_ptr<Connection> found;
    auto open = [&]() -> coro::Task<void> {
      found =
          co_await open_in_schema({.conninfo = way.conninfo(), .role = role, .role_timeout = 1min});
    };
    auto both = [&](coro::Scope& scope) -> coro::Task<void> {
      scope.start(open());
      co_await coro::sleep_for(50ms);
      way.turn_to(primary_host());
    };
    coro::block_on(worker, coro::with_scope(both));
    const Result result = coro::block_on(worker, found->query("SELECT pg_is_in_recovery()"));
    EXPECT_EQ(result.text(0, 0), "f");
  }
}

// The sessions of a check must not mix the primary with a standby whose data lag.
TEST_F(Hosts, ASharedSnapshotIsOnOneServer) {
  const std::string on_primary = conninfo(primary_host());
  const std::string on_standby = conninfo(standby->host());
  const auto opener_of = [](std::string to) { return [to] { return Connection::open(to); }; };
  for (const bool begins_on_standby : {false, true}) {
    const std::string& own = begins_on_standby ? on_standby : on_primary;
    const std::string& foreign = begins_on_standby ? on_primary : on_standby;
    const auto first = coro::block_on(worker, Connection::open(own));
    SharedSnapshot snapshot;
    coro::block_on(worker, snapshot.begin(*first));
    int opened = 0;
    const auto third_is_right = [&] { return Connection::open(++opened == 3 ? own : foreign); };
    const auto found = coro::block_on(worker, snapshot.join(third_is_right));
    EXPECT_EQ(opened, 3);
    const Result result = coro::block_on(worker, found->query("SELECT pg_is_in_recovery()"));
    EXPECT_EQ(result.text(0, 0), begins_on_standby ? "t" : "f");
    EXPECT_FALSE(snapshot.refusal());
    // A session of another process has a snapshot's name only, or not even that.
    for (const std::string& name : {snapshot.name(), std::string()}) {
      SharedSnapshot same(name);
      coro::block_on(worker, same.join(opener_of(own)));
      EXPECT_FALSE(same.refusal());
      EXPECT_THAT([&] { coro::block_on(worker, same.join(opener_of(foreign))); },
                  testing::ThrowsMessage<Error>(testing::HasSubstr("on different servers")));
    }
    SharedSnapshot far(snapshot.name());
    EXPECT_THAT([&] { coro::block_on(worker, far.join(opener_of(foreign))); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("on different servers")));
  }
}

TEST_F(Hosts, AStandbyIsGoodForWhatOnlyReads) {
  const std::string way = conninfo(standby->host());
  coro::block_on(worker, open_in_schema({.conninfo = way}));
  for (const ServerRole role : {ServerRole::primary, ServerRole::writable}) {
    try {
      coro::block_on(worker, open_in_schema({.conninfo = way, .role = role}));
      ADD_FAILURE() << "it is a standby";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::unavailable) << error.what();
      EXPECT_EQ(error.sqlstate(), "25006") << error.what();
    }
  }
}

TEST_F(Hosts, TheErrorNamesEach) {
  const SilentHost first;
  const SilentHost second;
  coro::VirtualClock clock;
  coro::Worker patient(clock);
  const coro::Instant start = clock.now();
  try {
    coro::block_on(patient, Connection::open(conninfo(first.host() + ",/nowhere," + second.host(),
                                                      "connect_timeout=7")));
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
    const std::string text = error.what();
    EXPECT_NE(text.find("cannot connect to any of 3 hosts"), std::string::npos) << text;
    EXPECT_NE(text.find("/nowhere/"), std::string::npos) << text;
    EXPECT_NE(text.find(first.host()), std::string::npos) << text;
    EXPECT_NE(text.find(second.host()), std::string::npos) << text;
    EXPECT_NE(text.find("within 7 s"), std::string::npos) << text;
  }
  EXPECT_GE(clock.now() - start, 14s);
  EXPECT_LT(clock.now() - start, 15s);
}

TEST_F(Hosts, OneMayBeTheFirstAndTheOthersFollow) {
  const std::string two = primary_host() + "," + standby->host();
  const auto host_of = [&](const std::string& hosts, std::size_t first) {
    const auto connection =
        coro::block_on(worker, Connection::open(conninfo(hosts), {.first_host = first}));
    return connection->host();
  };
  for (const std::size_t first : {0, 1, 2, 3}) EXPECT_EQ(host_of(two, first), first % 2);
  EXPECT_EQ(host_of(two + ",/nowhere", 2), 0U) << "behind the last comes the first";
  EXPECT_EQ(host_of("/nowhere," + two, 0), 1U);
  const auto alone = coro::block_on(worker, Connection::open(primary->conninfo()));
  EXPECT_EQ(alone->host(), 0U);
}

// Whatever comes first, it must be what was asked for.
TEST_F(Hosts, TheSessionAttributesGoBeforeTheFirst) {
  const std::string two = primary_host() + "," + standby->host();
  for (const std::size_t first : {0, 1}) {
    const auto connection = coro::block_on(
        worker,
        Connection::open(conninfo(two, "target_session_attrs=read-write"), {.first_host = first}));
    EXPECT_EQ(connection->host(), 0U);
  }
}

TEST_F(Hosts, PeopleSeeNamesAndPorts) {
  EXPECT_THAT(Connection::hosts_of("postgresql://u:p@a:1,b:2/d"),
              testing::ElementsAre("a:1", "b:2"));
  EXPECT_THAT(Connection::hosts_of("postgresql://a,b/d"), testing::ElementsAre("a:5432", "b:5432"));
  EXPECT_THAT(Connection::hosts_of("postgresql://a:1,b/d"), testing::ElementsAre("a:1", "b:5432"));
  EXPECT_THAT(Connection::hosts_of("host=a,b port=7"), testing::ElementsAre("a:7", "b:7"));
  EXPECT_THAT(Connection::hosts_of("hostaddr=127.0.0.1,::1"),
              testing::ElementsAre("127.0.0.1:5432", "::1:5432"));
  const std::vector<std::string> gap = Connection::hosts_of("host=a,,b");
  ASSERT_EQ(gap.size(), 3U);
  EXPECT_TRUE(gap[1].starts_with("/") || gap[1] == "localhost:5432") << gap[1];
  EXPECT_THAT(Connection::hosts_of("host=a,b port=1,2,3"), testing::IsEmpty());
  EXPECT_THAT(Connection::hosts_of("dbname=d"), testing::IsEmpty());
  ::setenv("PGHOST", "c,d", 1);
  EXPECT_THAT(Connection::hosts_of("dbname=d"), testing::ElementsAre("c:5432", "d:5432"));
  ::unsetenv("PGHOST");
}

TEST_F(Hosts, NoneIsWhatWasAskedFor) {
  const std::string text =
      answer(conninfo(standby->host() + ",/nowhere", "target_session_attrs=read-write"));
  EXPECT_NE(text.find("unavailable: cannot connect to any of 2 hosts"), std::string::npos) << text;
  EXPECT_NE(text.find("read-only"), std::string::npos) << text;
}

// Wrong on one is wrong on all, as libpq sees it.
TEST_F(Hosts, ADenialEndsTheSearch) {
  const std::string hosts = primary_host() + "," + standby->host();
  std::string text = answer(fmt::format("host={} user=drover dbname=nowhere", hosts));
  EXPECT_NE(text.find("denied: "), std::string::npos) << text;
  EXPECT_NE(text.find("\"nowhere\" does not exist"), std::string::npos) << text;
  EXPECT_EQ(text.find(standby->host()), std::string::npos) << text;
  text = answer(conninfo(hosts, "target_session_attrs=perhaps"));
  EXPECT_NE(text.find("denied: --db: invalid target_session_attrs"), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::database::postgres
