// What is known of a transaction when its session is lost: by a server that says what it is told to
// say and then goes away, at every byte of it.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "support/temporary_folder.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;

std::string message(char type, const std::string& body) {
  const std::size_t length = body.size() + 4;
  std::string text(1, type);
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(length >> shift & 0xFF);
  return text + body;
}

std::string complete(const std::string& tag) {
  return message('2', "") + message('n', "") + message('C', tag + '\0');
}

std::string failure(const std::string& severity, const std::string& sqlstate) {
  return message('E', "S" + severity + '\0' + "V" + severity + '\0' + "C" + sqlstate + '\0' +
                          "Mso it is" + '\0' + '\0');
}

const std::string ready = message('Z', "I");

// Answers one pipeline with what it is told, and closes the session.
// Or does not close it.
class ToldServer {
 public:
  explicit ToldServer(std::string answer, bool stays = false)
      : answer_(std::move(answer)), stays_(stays) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (folder_.path() / ".s.PGSQL.5432").string();
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error("path too long");
    path.copy(address.sun_path, path.size());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 5) != 0) {
      throw std::runtime_error("no socket");
    }
    thread_ = std::thread([this] { serve(); });
  }
  ToldServer(const ToldServer&) = delete;
  ToldServer& operator=(const ToldServer&) = delete;
  ~ToldServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  std::string conninfo() const { return "user=drover host=" + folder_.path().string(); }

 private:
  void serve() const {
    const int session = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (session < 0) return;
    std::array<char, 4096> taken{};
    if (::read(session, taken.data(), taken.size()) > 0) {
      say(session, message('R', std::string(4, '\0')) + ready);
      // A pipeline of a few statements comes in one piece.
      if (::read(session, taken.data(), taken.size()) > 0) say(session, answer_);
      while (stays_ && ::read(session, taken.data(), taken.size()) > 0) {
      }
    }
    ::close(session);
  }

  static void say(int session, const std::string& text) {
    if (::send(session, text.data(), text.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error("send");
  }

  test::TemporaryFolder folder_;
  std::string answer_;
  bool stays_;
  int listener_ = -1;
  std::thread thread_;
};

const Statement first{"first", ""};
const Statement second{"second", ""};
const Statement commit{"commit", ""};

// How a pipeline of two statements and a COMMIT ends; nothing: it has its results.
std::optional<Error> end_of(const std::string& answer, Commits commits = Commits::yes,
                            bool stays = false) {
  const ToldServer server(answer, stays);
  coro::Worker worker;
  const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
  connection->send(first);
  connection->send(second);
  connection->send(commit);
  try {
    const Results results = coro::block_on(worker, connection->run(commits));
    EXPECT_EQ(results.size(), 3U);
    EXPECT_EQ(std::string(PQcmdStatus(results.back().get())), "COMMIT");
    return std::nullopt;
  } catch (const Error& error) {
    EXPECT_TRUE(connection->broken());
    return error;
  }
}

const std::string work = complete("INSERT 0 1") + complete("UPDATE 1");
const std::string refusal = failure("ERROR", "40001");

TEST(Loss, BeforeTheWordOfTheCommitIsAmbiguous) {
  const std::string all = work + complete("COMMIT");
  for (std::size_t length = 0; length < all.size(); ++length) {
    const auto error = end_of(all.substr(0, length));
    ASSERT_TRUE(error) << length;
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << length << error->what();
  }
}

TEST(Loss, AfterTheWordOfTheCommitIsNone) {
  const std::string all = work + complete("COMMIT");
  for (const std::string& rest :
       {std::string(), ready.substr(0, 1), ready.substr(0, 5), ready, failure("FATAL", "57P01")}) {
    EXPECT_EQ(end_of(all + rest), std::nullopt) << rest.size();
  }
}

TEST(Loss, AfterARefusalIsCertain) {
  // Whatever it is that came before: the server commits nothing of it.
  for (const std::string& before : {std::string(), complete("INSERT 0 1"), work}) {
    for (const std::string& rest : {std::string(), ready.substr(0, 3), failure("FATAL", "57P01"),
                                    failure("PANIC", "XX000")}) {
      const auto error = end_of(before + refusal + rest);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->error_class(), ErrorClass::connection_lost) << error->what();
      EXPECT_EQ(error->sqlstate(), "40001") << error->what();
    }
  }
  for (std::size_t length = 1; length < refusal.size(); ++length) {
    const auto error = end_of(work + refusal.substr(0, length));
    ASSERT_TRUE(error) << length;
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << length << error->what();
  }
}

// The last word of a session is no refusal of a statement: the COMMIT may have been done before.
TEST(Loss, AfterAFatalErrorIsAmbiguous) {
  for (const char* severity : {"FATAL", "PANIC"}) {
    const auto error = end_of(work + failure(severity, "57P01"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
    EXPECT_EQ(error->sqlstate(), "57P01");
  }
}

TEST(Loss, OfWhatCommitsNothingIsNeverAmbiguous) {
  const std::string all = work + complete("COMMIT");
  for (const std::string& answer : {std::string(), work, all, work + failure("FATAL", "57P01")}) {
    const auto error = end_of(answer, Commits::no);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::connection_lost) << error->what();
  }
}

TEST(Loss, ByNonsense) {
  for (const std::string& nonsense :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string(64, '\0'),
        std::string(64, '\xFF'), message('y', "nobody knows this"),
        std::string("D\x7F\xFF\xFF\xFF", 5) + "x"}) {
    const auto error = end_of(work + nonsense);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
  }
}

TEST(Loss, ByTooFewAnswers) {
  for (const std::string& answer : {ready, work + ready, complete("COMMIT") + ready}) {
    const auto error = end_of(answer, Commits::yes, true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
    EXPECT_NE(std::string(error->what()).find("to 3 statements"), std::string::npos);
  }
}

// What nobody understands, and the last word of a server, end the session, even if it stays open.
TEST(Loss, DoesNotWaitForTheEnd) {
  for (const std::string& last : {failure("FATAL", "57P01"), message('y', "nobody knows this"),
                                  std::string("S\x80\0\0\0xxxx", 9)}) {
    const auto error = end_of(work + last, Commits::yes, true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
  }
  const std::string refused = complete("INSERT 0 1") + refusal;
  const auto error = end_of(refused + failure("FATAL", "57P01"), Commits::yes, true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error_class(), ErrorClass::connection_lost) << error->what();
}

class RoundTrips : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(coro::Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  std::unique_ptr<Connection> open() { return run(Connection::open(server->conninfo())); }

  template <class T>
  void expect_no_answer(Connection& connection, coro::Task<T> task, ErrorClass error_class) {
    try {
      run(std::move(task));
      ADD_FAILURE() << "there was an answer";
    } catch (const Error& error) {
      EXPECT_EQ(error_class_name(error.error_class()), error_class_name(error_class));
      EXPECT_EQ(std::string(error.what()), "no answer within 0.05 s");
      EXPECT_EQ(error.sqlstate(), "");
    }
    EXPECT_TRUE(connection.broken());
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> RoundTrips::server;

coro::Task<void> sleep(coro::Duration duration) {
  co_await coro::sleep_for(duration);
}

TEST_F(RoundTrips, AreAbandonedAtTheLimit) {
  const std::array statements = {Statement{"wait", "SELECT pg_sleep(3600)"},
                                 Statement{"commit", "COMMIT"}};
  for (int use = 0; use < 4; ++use) {
    const auto connection = open();
    run(connection->prepare(statements));
    connection->set_round_trip_limit(50ms);
    if (use == 0) {
      expect_no_answer(*connection, connection->query("SELECT pg_sleep(3600)"),
                       ErrorClass::connection_lost);
    } else if (use == 1) {
      expect_no_answer(*connection, connection->script("SELECT pg_sleep(3600)"),
                       ErrorClass::connection_lost);
    } else {
      connection->send(statements[0]);
      connection->send(statements[1]);
      const Commits commits = use == 2 ? Commits::no : Commits::yes;
      expect_no_answer(*connection, connection->run(commits),
                       use == 2 ? ErrorClass::connection_lost : ErrorClass::ambiguous_commit);
    }
  }
}

TEST_F(RoundTrips, AreLimitedOneByOne) {
  const auto connection = open();
  connection->set_round_trip_limit(30s);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run(connection->query("SELECT 7")).text(0, 0), "7");
    EXPECT_EQ(run(connection->script("SELECT 8")).text(0, 0), "8");
  }
  EXPECT_FALSE(worker.timers().next_expiry()) << "a timer is left behind";
  connection->set_round_trip_limit(1ms);
  run(sleep(20ms));
  EXPECT_FALSE(connection->broken()) << "nobody waits for an answer";
  connection->set_round_trip_limit(std::nullopt);
  EXPECT_EQ(run(connection->query("SELECT pg_sleep(0.02), 9")).text(0, 1), "9");
}

TEST_F(RoundTrips, TheProcessIsThatOfTheServer) {
  const auto connection = open();
  EXPECT_EQ(std::to_string(connection->backend_pid()),
            run(connection->query("SELECT pg_backend_pid()")).text(0, 0));
}

}  // namespace
}  // namespace drover::database::postgres
