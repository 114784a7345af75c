#include "database/embedded/private_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "database/embedded/program.h"
#include "file/file_descriptor.h"
#include "support/temporary_folder.h"
#include "support/test_server.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;

// The first field of the answer, or the error.
std::string query(const std::string& conninfo, const char* sql) {
  const Connection connection(PQconnectdb(conninfo.c_str()), &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) return PQerrorMessage(connection.get());
  const Answer answer(PQexec(connection.get(), sql), &PQclear);
  if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return PQerrorMessage(connection.get());
  return PQgetvalue(answer.get(), 0, 0);
}

ServerOptions scratch_in(const fs::path& root) {
  return {.data_root = root,
          .settings = parse_settings({"fsync=off", "shared_buffers=16MB", "max_connections=20"}),
          .scratch = true};
}

class PrivateServerTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("DROVER_PG_BINDIR");
    PrivateServer(scratch_in(folder_.path())).stop(StopMode::immediate);
  }

  void kill_and_wait(const PrivateServer& server) {
    const std::optional<Postmaster> postmaster = Postmaster::find(server.layout().data());
    ASSERT_TRUE(postmaster);
    postmaster->signal(SIGKILL);
    ASSERT_TRUE(postmaster->wait_for_end(10s));
  }

  test::TemporaryFolder folder_;
};

TEST_F(PrivateServerTest, StartsServesAndStops) {
  PrivateServer server(scratch_in(folder_.path()));
  EXPECT_FALSE(server.status().running);
  EXPECT_FALSE(server.stop());

  EXPECT_EQ(server.start(), StartOutcome::started);
  const ServerStatus status = server.status();
  EXPECT_TRUE(status.running);
  EXPECT_TRUE(status.ready);
  EXPECT_FALSE(status.on_demand);
  // A session of its own: Ctrl-C on our terminal does not reach it.
  EXPECT_EQ(::getsid(status.pid), status.pid);
  EXPECT_EQ(query(status.conninfo, "SELECT current_user || '@' || current_database()"),
            "drover@drover");
  EXPECT_EQ(query(status.conninfo, "SHOW listen_addresses"), "");
  EXPECT_EQ(query(status.conninfo, "SHOW wal_level"), "minimal");
  EXPECT_EQ(query(status.conninfo, "SHOW max_connections"), "20");
  EXPECT_EQ(query(status.conninfo, "SHOW server_encoding"), "UTF8");
  EXPECT_EQ(query(status.conninfo, "SHOW lc_collate"), "C");
  EXPECT_EQ(query(status.conninfo, "SHOW data_checksums"), "off");

  EXPECT_TRUE(server.stop());
  EXPECT_FALSE(server.status().running);
  EXPECT_THAT(query(status.conninfo, "SELECT 1"), HasSubstr("No such file"));
  EXPECT_FALSE(server.stop());
}

TEST_F(PrivateServerTest, SecondStartFindsTheFirst) {
  PrivateServer first(scratch_in(folder_.path()));
  first.start();
  PrivateServer second(scratch_in(folder_.path()));
  EXPECT_EQ(second.start(), StartOutcome::already_running);
  EXPECT_EQ(second.status().pid, first.status().pid);
  EXPECT_EQ(query(second.conninfo(), "SELECT 1"), "1");
}

TEST_F(PrivateServerTest, SettingsAreForOneStart) {
  PrivateServer(scratch_in(folder_.path())).start();
  PrivateServer(scratch_in(folder_.path())).stop();
  ServerOptions options = scratch_in(folder_.path());
  options.settings = {{"shared_buffers", "24MB"}};
  PrivateServer other(options);
  other.start();
  EXPECT_EQ(query(other.conninfo(), "SHOW shared_buffers"), "24MB");
  EXPECT_EQ(query(other.conninfo(), "SHOW max_connections"), "500");
}

TEST_F(PrivateServerTest, StartsAgainAfterTheServerWasKilled) {
  PrivateServer server(scratch_in(folder_.path()));
  server.start();
  EXPECT_EQ(query(server.conninfo(), "CREATE TABLE kept AS SELECT 1; SELECT 1"), "1");
  // A backend at work does not notice by itself that its server died.
  const Connection busy(PQconnectdb(server.conninfo().c_str()), &PQfinish);
  ASSERT_EQ(PQsendQuery(busy.get(), "SELECT pg_sleep(1000)"), 1);
  PQflush(busy.get());
  kill_and_wait(server);
  EXPECT_FALSE(server.status().running);

  EXPECT_EQ(server.start(), StartOutcome::started);
  EXPECT_EQ(query(server.conninfo(), "SELECT count(*) FROM kept"), "1");
}

TEST_F(PrivateServerTest, StartsWhenTheNumberOfTheKilledServerIsAnothers) {
  PrivateServer server(scratch_in(folder_.path()));
  server.start();
  kill_and_wait(server);
  const file::FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t stranger = launch({"/bin/sleep", {"1000"}, account_of_cluster(server.layout()), ""},
                                {.output_file = nowhere.get(), .dies_with_caller = true});
  // Both the data and the socket now point to a process that lives and is no server.
  for (const fs::path& path :
       {server.layout().data() / "postmaster.pid",
        server.layout().base / "run" / fmt::format(".s.PGSQL.{}.lock", server_port)}) {
    ASSERT_TRUE(fs::exists(path)) << path;
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    const std::string rest{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(path) << stranger << "\n" << rest;
  }
  EXPECT_FALSE(server.status().running);
  EXPECT_EQ(server.start(), StartOutcome::started);
  EXPECT_EQ(::kill(stranger, 0), 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

TEST_F(PrivateServerTest, KilledInitdbIsNotTakenForACluster) {
  // An initdb that makes half a cluster, tells us, and goes on for ever.
  const Installation real = find_installation();
  const fs::path fake = folder_.path() / "fake";
  fs::create_directory(fake);
  fs::create_symlink(real.program("postgres"), fake / "postgres");
  const fs::path fifo = folder_.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_EQ(::chmod(fifo.c_str(), 0644), 0);
  std::ofstream(fake / "initdb") << "#!/bin/sh\nfor a in \"$@\"; do case \"$a\" in --pgdata=*) "
                                    "echo 15 > \"${a#--pgdata=}/PG_VERSION\";; esac; done\n"
                                    "exec cat < "
                                 << fifo.string() << "\n";
  fs::permissions(fake / "initdb", fs::perms(0755));
  ::setenv("DROVER_PG_BINDIR", fake.c_str(), 1);
  const fs::path root = folder_.path() / "root";
  const pid_t child = ::fork();
  if (child == 0) {
    PrivateServer(scratch_in(root)).start();
    ::_exit(0);
  }
  // Returns when the other end is opened: half a cluster is there.
  const file::FileDescriptor told(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::unsetenv("DROVER_PG_BINDIR");

  PrivateServer server(scratch_in(root));
  EXPECT_FALSE(fs::exists(server.layout().data()));
  EXPECT_EQ(server.start(), StartOutcome::started);
  EXPECT_EQ(query(server.conninfo(), "SELECT 1"), "1");
  for (const fs::directory_entry& entry : fs::directory_iterator(server.layout().base)) {
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("data.new")));
  }
  server.stop(StopMode::immediate);
}

TEST_F(PrivateServerTest, FailedInitdbShowsWhatItSaidAndLeavesNothing) {
  const Installation real = find_installation();
  const fs::path fake = folder_.path() / "fake";
  fs::create_directory(fake);
  fs::create_symlink(real.program("postgres"), fake / "postgres");
  std::ofstream(fake / "initdb") << "#!/bin/sh\necho 'no space left'; exit 3\n";
  fs::permissions(fake / "initdb", fs::perms(0755));
  ::setenv("DROVER_PG_BINDIR", fake.c_str(), 1);
  PrivateServer server(scratch_in(folder_.path()));
  EXPECT_THAT([&] { server.start(); }, ThrowsMessage<ServerError>(HasSubstr("no space left")));
  EXPECT_FALSE(fs::exists(server.layout().data()));
}

TEST_F(PrivateServerTest, WorksUnderALongPathWithSpaces) {
  const fs::path root = folder_.path() / std::string(120, 'x') / "with space, 'quote'";
  fs::create_directories(root);
  PrivateServer server(scratch_in(root));
  server.start();
  EXPECT_THAT(server.conninfo(), HasSubstr("host=/tmp/drover-"));
  EXPECT_EQ(query(server.conninfo(), "SELECT 1"), "1");
  EXPECT_EQ(PrivateServer(scratch_in(root)).start(), StartOutcome::already_running);
  server.stop(StopMode::immediate);
  fs::remove_all(server.layout().socket_folder(account_of_cluster(server.layout())));
}

TEST_F(PrivateServerTest, RunsAsAnUnprivilegedUser) {
  PrivateServer server(scratch_in(folder_.path()));
  server.start();
  struct stat process{};
  ASSERT_EQ(::stat(fmt::format("/proc/{}", server.status().pid).c_str(), &process), 0);
  EXPECT_NE(process.st_uid, 0U);
  struct stat data{};
  ASSERT_EQ(::stat(server.layout().data().c_str(), &data), 0);
  EXPECT_EQ(data.st_uid, process.st_uid);
  EXPECT_EQ(data.st_mode & 0777, 0700U);
}

TEST_F(PrivateServerTest, BadSettingShowsTheServersOwnWords) {
  ServerOptions options = scratch_in(folder_.path());
  options.settings.push_back(parse_setting("max_connections=many"));
  EXPECT_THAT([&] { PrivateServer(options).start(); },
              ThrowsMessage<ServerError>(
                  HasSubstr("invalid value for parameter \"max_connections\": \"many\"")));
  // The next start is free of it.
  EXPECT_EQ(PrivateServer(scratch_in(folder_.path())).start(), StartOutcome::started);
}

TEST_F(PrivateServerTest, FailureShowsOnlyTheLogOfThisStart) {
  ServerOptions options = scratch_in(folder_.path());
  options.settings = parse_settings({"work_mem=first"});
  EXPECT_THROW(PrivateServer(options).start(), ServerError);
  options.settings = parse_settings({"work_mem=second"});
  try {
    PrivateServer(options).start();
    FAIL() << "started with a setting that is none";
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"second\""));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\"first\"")));
  }
}

TEST_F(PrivateServerTest, RefusesDataThatIsNone) {
  const Layout layout = layout_of(folder_.path(), find_installation().major);
  const Account account = account_for_new_server();
  fs::create_directories(layout.data());
  std::ofstream(layout.data() / "precious") << "x";
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(layout.data().c_str(), account.uid, account.gid), 0);
  }
  EXPECT_THAT([&] { PrivateServer(scratch_in(folder_.path())).start(); },
              ThrowsMessage<ServerError>(HasSubstr("exists but has no PostgreSQL data. Move the "
                                                   "folder away, and drover creates a new one")));
  EXPECT_TRUE(fs::exists(layout.data() / "precious"));
}

TEST_F(PrivateServerTest, SaysThatTheDataCannotBeRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another who may not read";
  PrivateServer(scratch_in(folder_.path())).lock();
  const fs::path base = layout_of(folder_.path(), find_installation().major).base;
  ::chmod(base.c_str(), 0700);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    become(Account{65534, 65534, "nobody"});
    std::string message = "nothing thrown";
    try {
      PrivateServer(scratch_in(folder_.path())).start();
    } catch (const ServerError& error) {
      message = error.what();
    }
    const ssize_t written = ::write(ends[1], message.data(), message.size());
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  ::chmod(base.c_str(), 0755);
  ASSERT_GT(count, 0);
  const std::string message(buffer.data(), static_cast<size_t>(count));
  EXPECT_THAT(message, HasSubstr("cannot read the data folder"));
  EXPECT_THAT(message, HasSubstr("Permission denied"));
}

TEST(TestServerTest, StopsAndStartsAndCleansUp) {
  fs::path root;
  pid_t pid = 0;
  {
    test::TestServer server({"work_mem=5MB"});
    root = server.data_root();
    EXPECT_EQ(query(server.conninfo(), "SHOW fsync"), "off");
    EXPECT_EQ(query(server.conninfo(), "SHOW work_mem"), "5MB");
    server.stop();
    EXPECT_THAT(query(server.conninfo(), "SELECT 1"), testing::Not("1"));
    server.start();
    EXPECT_EQ(query(server.conninfo(), "SELECT 1"), "1");
    pid = server.pid();
  }
  EXPECT_FALSE(fs::exists(root));
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(TestServerTest, DiesWithAnAbortedTest) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const test::TestServer server;
    const std::string text = fmt::format("{} {}", server.pid(), server.data_root().string());
    if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  const ssize_t count = ::read(ends[0], buffer.data(), buffer.size() - 1);
  ASSERT_GT(count, 0);
  const std::string text(buffer.data(), static_cast<size_t>(count));
  const fs::path root = text.substr(text.find(' ') + 1);
  const fs::path data = layout_of(root, find_installation().major).data();
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  // It is on its way out or gone.
  if (const std::optional<Postmaster> server = Postmaster::find(data)) {
    EXPECT_TRUE(server->wait_for_end(10s));
  }
  fs::remove_all(root);
}

}  // namespace
}  // namespace drover::database::embedded
