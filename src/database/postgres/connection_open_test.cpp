// Ways to a server, and away from it: connection strings, variables, passwords, TLS, timeouts.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/worker.h"
#include "database/embedded/private_server.h"
#include "database/postgres/connection.h"
#include "support/server_files.h"
#include "support/temporary_folder.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using embedded::StopMode;
using test::data_folder;
using test::run_as_owner;

constexpr const char* password = "s3cret-of-ours";

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

class Open : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>();
    const fs::path hba = data_folder(*server) / "pg_hba.conf";
    std::stringstream before;
    before << std::ifstream(hba).rdbuf();
    std::ofstream(hba) << "local all guarded scram-sha-256\n"
                       << "hostssl all drover 127.0.0.1/32 trust\n"
                       << "host all guarded 127.0.0.1/32 scram-sha-256\n"
                       << before.str();
    server->stop(StopMode::fast);
    server->start();
    coro::Worker worker;
    auto admin = coro::block_on(worker, Connection::open(server->conninfo()));
    coro::block_on(worker,
                   admin->script(fmt::format("CREATE ROLE guarded LOGIN PASSWORD '{}'", password)));
  }
  static void TearDownTestSuite() { server.reset(); }

  static std::string host() {
    const std::string conninfo = server->conninfo();
    return conninfo.substr(5, conninfo.find(' ') - 5);
  }

  std::unique_ptr<Connection> open(const std::string& conninfo) {
    return coro::block_on(worker, Connection::open(conninfo));
  }

  std::string user_of(const std::string& conninfo) {
    const auto connection = open(conninfo);
    const Result result = coro::block_on(
        worker, connection->query("SELECT current_user || '@' || current_database()"));
    return std::string(result.text(0, 0));
  }

  Error refusal(const std::string& conninfo) {
    try {
      open(conninfo);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find(password), std::string::npos) << error.what();
      return error;
    }
    return {ErrorClass::statement, "", "it was opened"};
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> Open::server;

void expect_refusal(const Error& error, ErrorClass error_class, const std::string& words) {
  EXPECT_EQ(error_class_name(error.error_class()), error_class_name(error_class)) << error.what();
  EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
}

TEST_F(Open, TakesEveryFormOfAddress) {
  EXPECT_EQ(user_of(server->conninfo()), "drover@drover");
  EXPECT_EQ(user_of(fmt::format("postgresql://drover@/drover?host={}", host())), "drover@drover");
  EXPECT_EQ(user_of(fmt::format("postgres://drover@:5432/drover?host={}", host())),
            "drover@drover");
  const Variable host_variable("PGHOST", host());
  const Variable port("PGPORT", "5432");
  const Variable user("PGUSER", "drover");
  EXPECT_EQ(user_of("postgresql:///postgres"), "drover@postgres");
  EXPECT_EQ(user_of("postgres"), "drover@postgres");
  const Variable database("PGDATABASE", "drover");
  EXPECT_EQ(user_of(""), "drover@drover");
  EXPECT_EQ(user_of("dbname=postgres"), "drover@postgres");
  EXPECT_EQ(describe_conninfo(""),
            fmt::format("host={} port=5432 dbname=drover user=drover", host()));
}

TEST_F(Open, AsksForPasswords) {
  const std::string base = fmt::format("host={} user=guarded dbname=drover", host());
  EXPECT_EQ(user_of(fmt::format("{} password={}", base, password)), "guarded@drover");
  EXPECT_EQ(user_of(fmt::format("postgresql://guarded:{}@/drover?host={}", password, host())),
            "guarded@drover");
  {
    const Variable variable("PGPASSWORD", password);
    EXPECT_EQ(user_of(base), "guarded@drover");
  }
  expect_refusal(refusal(base), ErrorClass::denied, "no password supplied");
  expect_refusal(refusal(base + " password=wrong"), ErrorClass::denied,
                 "password authentication failed");
}

TEST_F(Open, SaysWhyItCannot) {
  expect_refusal(refusal(fmt::format("host={} port=5433 user=drover", host())),
                 ErrorClass::unavailable, ".s.PGSQL.5433");
  expect_refusal(refusal("host=127.0.0.1 port=1 user=drover"), ErrorClass::unavailable,
                 "Connection refused");
  expect_refusal(refusal("host=no-such-host.invalid user=drover"), ErrorClass::unavailable,
                 "no-such-host.invalid");
  expect_refusal(refusal(fmt::format("host={} user=drover dbname=nowhere", host())),
                 ErrorClass::denied, "nowhere");
  expect_refusal(refusal(fmt::format("host={} user=nobody_here dbname=drover", host())),
                 ErrorClass::denied, "nobody_here");
  expect_refusal(refusal("host=/nowhere sslmode=perhaps"), ErrorClass::denied, "sslmode");
}

// A server that takes the connection and says nothing.
TEST_F(Open, GivesUpAfterTheConnectTimeout) {
  const test::TemporaryFolder folder;
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(listener, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder.path() / ".s.PGSQL.5432").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 5), 0);
  const std::string conninfo = fmt::format("host={} user=drover", folder.path().string());
  for (const int seconds : {7, 0}) {
    coro::VirtualClock clock;
    coro::Worker patient(clock);
    const coro::Instant start = clock.now();
    try {
      coro::block_on(patient, Connection::open(fmt::format("{} connect_timeout={} password={}",
                                                           conninfo, seconds, password)));
      ADD_FAILURE() << "it was opened";
    } catch (const Error& error) {
      expect_refusal(error, ErrorClass::unavailable, "connect_timeout");
      EXPECT_EQ(std::string(error.what()).find(password), std::string::npos) << error.what();
    }
    const coro::Duration limit = seconds == 0 ? 10s : std::chrono::seconds(seconds);
    EXPECT_GE(clock.now() - start, limit);
    EXPECT_LT(clock.now() - start, limit + 1s);
  }
  ::close(listener);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DROVER_ADDRESS_SANITIZER
#endif
#endif

// As many descriptors as this process may have.
class Exhausted {
 public:
  Exhausted() {
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) held_.push_back(fd);
  }
  Exhausted(const Exhausted&) = delete;
  Exhausted& operator=(const Exhausted&) = delete;
  ~Exhausted() {
    for (const int fd : held_) ::close(fd);
  }

 private:
  std::vector<int> held_;
};

TEST_F(Open, SaysWhichLimitToRaise) {
#ifdef DROVER_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer needs descriptors of its own to look at memory, and calls an "
                  "object that it cannot look at invalid; test/e2e/limits.py does the same";
#endif
  const std::string conninfo = server->conninfo();
  const Exhausted exhausted;
  const Error error = refusal(conninfo);
  expect_refusal(error, ErrorClass::unavailable, "Too many open files");
  expect_refusal(error, ErrorClass::unavailable, "ulimit -n");
}

TEST(Conninfo, SaysWhatIsWrong) {
  EXPECT_EQ(conninfo_problem("host=a port=5432 password=b"), std::nullopt);
  EXPECT_EQ(conninfo_problem("postgresql://u:p%40%2F@h1:1,h2:2/d?sslmode=require"), std::nullopt);
  EXPECT_EQ(conninfo_problem("postgresql://u@h/d?options=-c%20a@b"), std::nullopt);
  // An @ in the name of a database, where it cannot be part of a password.
  EXPECT_EQ(conninfo_problem("postgresql://u@h/d@b"), std::nullopt);
  EXPECT_EQ(describe_conninfo("postgresql://u@h:7/d@b"), "host=h port=7 dbname=d@b user=u");
  EXPECT_EQ(conninfo_problem("postgresql:///d@b"), std::nullopt);
  EXPECT_EQ(conninfo_problem("postgresql://u:p@h/d%40b"), std::nullopt);
  // A host and a port, not a user and a password.
  for (const char* text : {"postgresql://127.0.0.1:17561/a@b?user=u", "postgresql://h:5/a@b?user=u",
                           "postgresql://localhost:17561/a@b", "postgresql://[::1]:17561/a@b"}) {
    EXPECT_EQ(conninfo_problem(text), std::nullopt) << text;
  }
  EXPECT_EQ(describe_conninfo("hostaddr=::1 port=7 dbname=d user=u"),
            "hostaddr=::1 port=7 dbname=d user=u");
  EXPECT_EQ(conninfo_problem("port=some host=a"),
            "the port is not a number. Expected port=NUMBER, from 1 to 65535");
  // libpq itself refuses these, or goes to the next host.
  EXPECT_EQ(conninfo_problem("port=-1 host=a"), std::nullopt);
  EXPECT_EQ(conninfo_problem("port=-1,7 host=a,b"), std::nullopt);
  EXPECT_EQ(conninfo_problem(""), std::nullopt);
  const auto unknown = conninfo_problem("hots=a");
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->find("hots"), std::string::npos) << *unknown;
}

void expect_refusal_without_secret(const std::string& conninfo) {
  coro::Worker worker;
  try {
    coro::block_on(worker, Connection::open(conninfo));
    ADD_FAILURE() << conninfo << " was opened";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("s3cret"), std::string::npos)
        << conninfo << ": " << error.what();
  }
}

TEST(Conninfo, NeverShowsAPassword) {
  for (const std::string& text :
       std::vector<std::string>{"host=a password='s3cret",
                                "host=a password=x s3cret",
                                "password=s3cret hots=a",
                                "password=s3cret port",
                                "postgresql://u:s3cret@[::1/d",
                                "postgresql://u:s3cret%zz@h/d",
                                "postgresql://u:s3cret@h:port/d",
                                "postgresql://u:s3cret@h/d?sslmode",
                                "postgresql://u:s3cret@h/d?a=b=c",
                                "postgresql://u:s3cret@h/d?hots=a",
                                "postgresql://u:s3cret",
                                "postgresql://u:s3cret/d",
                                "postgresql://u:x/s3cret@h/d",
                                "postgresql://u:x@s3cret@h/d",
                                "postgresql://u:x@s3cret/y@h/d",
                                "postgresql://u:12/s3cret@h/d",
                                "host=a s3cret",
                                "host=a \"s3cret\"=b",
                                "postgresql://u:s3cret#@h/d?x",
                                "postgresql://u:%00s3cret@h/d",
                                "postgresql://h/d?password=s3cret%zz",
                                "postgresql://h/d?password=x&s3cret",
                                "sslpassword='s3cret",
                                "://u:s3cret@h",
                                "port=s3cret host=/nowhere",
                                "user=u;PassWord = s3cret",
                                "postgresql://h/d?sslmode=disable;password=s3cret"}) {
    const auto problem = conninfo_problem(text);
    ASSERT_TRUE(problem) << text;
    EXPECT_EQ(problem->find("s3cret"), std::string::npos) << text << ": " << *problem;
    EXPECT_EQ(describe_conninfo(text).find("s3cret"), std::string::npos) << text;
    expect_refusal_without_secret(text);
  }
  const std::string good = "postgresql://u:s3cret@h:7/d";
  EXPECT_EQ(describe_conninfo(good), "host=h port=7 dbname=d user=u");
}

// The parts are joined as in connection strings of other kinds. Messages of libpq or of the server
// would show the whole value.
TEST(Conninfo, RefusesPartsThatAreNotSeparated) {
  for (const char* text :
       {"host=127.0.0.1;port=1;user=u;password=s3cret", "host=/nowhere dbname=d;password=s3cret",
        "host=/nowhere user='u;PassWord = s3cret'", "host=/nowhere dbname=d&password=s3cret",
        "host=/nowhere dbname=d,pwd=s3cret", "host=/nowhere dbname='d passwd=s3cret'",
        "dbname=postgresql://u:s3cret@h/d", "host=h sslmode=password=s3cret",
        "host=h target_session_attrs=password=s3cret", "host=u:s3cret@127.0.0.1",
        "host=a,u:s3cret@127.0.0.1", "hostaddr=u:s3cret@127.0.0.1", "user=u:s3cret@h host=/nowhere",
        "host=/nowhere options='-c search_path=a;password=s3cret'",
        "host=/nowhere application_name=a&password=s3cret", "postgresql://h/d;password=s3cret",
        "postgresql://h/d&user=u&password=s3cret", "postgresql://h;password=s3cret/d",
        "postgresql://u@h/d?sslmode=disable;password%3Ds3cret"}) {
    const auto problem = conninfo_problem(text);
    ASSERT_TRUE(problem) << text;
    EXPECT_NE(problem->find("separate the settings of a connection string with spaces"),
              std::string::npos)
        << text << ": " << *problem;
    EXPECT_EQ(problem->find("s3cret"), std::string::npos) << text << ": " << *problem;
    EXPECT_EQ(describe_conninfo(text), "(unreadable connection string)") << text;
    expect_refusal_without_secret(text);
  }
}

TEST(Conninfo, AcceptsUnusualValues) {
  for (const char* text :
       {"host=h dbname=a;b=c@d,e&f", "host=@abstract,/tmp/a@b,::1", "host=h user=me@tenant",
        "host=h password='a;password=b://u:c@d'", "host=h application_name=a://b;c=d",
        "host=h options='-c a.password=b -c c=d'", "host=h passfile=/pwd=a", "dbname=password"}) {
    EXPECT_EQ(conninfo_problem(text), std::nullopt) << text;
  }
}

TEST(Conninfo, RefusesVariablesWithPartsThatAreNotSeparated) {
  for (const char* name : {"PGHOST", "PGDATABASE", "PGUSER", "PGSSLMODE", "PGSERVICE"}) {
    const Variable variable(name, "a;password=s3cret");
    const std::string text = "connect_timeout=2";
    const auto problem = conninfo_problem(text);
    ASSERT_TRUE(problem) << name;
    EXPECT_NE(problem->find("separate the settings of a connection string with spaces"),
              std::string::npos)
        << name << ": " << *problem;
    EXPECT_EQ(problem->find("s3cret"), std::string::npos) << name << ": " << *problem;
    EXPECT_EQ(describe_conninfo(text).find("s3cret"), std::string::npos) << name;
  }
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      probe >= 0 && ::bind(probe, generic, size) == 0 && ::getsockname(probe, generic, &size) == 0;
  ::close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

// The data of the test's server, served on TCP, which a private server never does.
class TcpServer {
 public:
  TcpServer(test::TestServer& server, const std::string& settings)
      : server_(server), port_(free_port()) {
    server_.stop(StopMode::fast);
    const std::string programs =
        fs::path(options().installation().program("postgres")).parent_path();
    pg_ctl_ = fmt::format("{}/pg_ctl -w -D {}", programs, data_folder(server).string());
    run_as_owner(server_,
                 fmt::format("{} -o \"-k '' -p {} -c listen_addresses=127.0.0.1 {}\" start",
                             pg_ctl_, port_, settings));
  }
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;
  ~TcpServer() {
    try {
      run_as_owner(server_, pg_ctl_ + " -m fast stop");
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << error.what();
    }
    server_.start();
  }

  int port() const { return port_; }

 private:
  embedded::PrivateServer options() const {
    embedded::ServerOptions options;
    options.data_root = server_.data_root();
    return embedded::PrivateServer(options);
  }

  test::TestServer& server_;
  int port_;
  std::string pg_ctl_;
};

TEST_F(Open, SaysThatAServerHasNoTls) {
  const TcpServer tcp(*server, "");
  const std::string address = fmt::format("host=127.0.0.1 port={} dbname=drover", tcp.port());
  expect_refusal(refusal(address + " user=guarded sslmode=require password=" + password),
                 ErrorClass::denied, "does not support SSL");
  EXPECT_EQ(user_of(address + " user=guarded sslmode=prefer password=" + password),
            "guarded@drover");
  expect_refusal(refusal(address + " user=drover sslmode=disable"), ErrorClass::denied,
                 "pg_hba.conf");
}

TEST_F(Open, SpeaksTls) {
  if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no openssl";
  const fs::path data = data_folder(*server);
  run_as_owner(*server,
               fmt::format("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
                           "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 "
                           "-keyout {0}/server.key -out {0}/server.crt",
                           data.string()));
  // What root makes of a path through a folder of the server's is read by the client, too.
  const test::TemporaryFolder folder;
  const fs::path certificate = folder.path() / "root.crt";
  fs::copy_file(data / "server.crt", certificate);
  const TcpServer tcp(*server, "-c ssl=on");
  const std::string address =
      fmt::format("host=127.0.0.1 port={} dbname=drover user=drover", tcp.port());
  const std::string trusted = " sslrootcert=" + certificate.string();
  EXPECT_EQ(user_of(address + " sslmode=require"), "drover@drover");
  EXPECT_EQ(user_of(address + " sslmode=verify-ca" + trusted), "drover@drover");
  EXPECT_EQ(user_of(address + " sslmode=verify-full" + trusted), "drover@drover");
  expect_refusal(refusal(address + " sslmode=verify-full sslrootcert=/nowhere/root.crt"),
                 ErrorClass::denied, "root.crt");
  expect_refusal(refusal(address + " sslmode=disable"), ErrorClass::denied, "pg_hba.conf");

  const auto connection = open(address + " sslmode=require");
  const Statement twice{"twice", "SELECT $1::text || $1::text"};
  coro::block_on(worker, connection->prepare(std::span(&twice, 1)));
  const std::string sent(1'000'000, 'x');
  for (int i = 0; i < 10; ++i) connection->send(twice, sent);
  const Results results = coro::block_on(worker, connection->run());
  ASSERT_EQ(results.size(), 10U);
  for (const Result& result : results) EXPECT_EQ(result.text(0, 0).size(), 2 * sent.size());
}

}  // namespace
}  // namespace drover::database::postgres
