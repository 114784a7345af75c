// What is known of a transaction when its session is lost: by a server that says what it is told to
// say and then goes away, at every byte of it.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
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

// The refusal of a server whose messages are in German.
std::string german_failure(const std::string& sqlstate, const std::string& text) {
  std::string body = "SFATALER FEHLER";
  for (const std::string& field :
       {std::string("VFATAL"), "C" + sqlstate, "M" + text, std::string("Fauth.c"),
        std::string("L335"), std::string("Rauth_failed"), std::string()}) {
    body += '\0' + field;
  }
  return message('E', body + '\0');
}

const std::string ready = message('Z', "I");
const std::string welcome = message('R', std::string(4, '\0')) + ready;
const std::string in_transaction = message('Z', "T");

// Answers one pipeline with what it is told, and closes the session.
// Or does not close it.
class ToldServer {
 public:
  explicit ToldServer(std::string answer, bool stays = false, std::string greeting = welcome)
      : greeting_(std::move(greeting)), answer_(std::move(answer)), stays_(stays) {
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
    // A client that waits for the answer to its cancel request keeps its session open until the
    // listener is closed.
    if (stays_) end_session();
    thread_.join();
    if (stays_) ::close(session_);
    ::close(listener_);
  }

  std::string conninfo() const { return "user=drover host=" + folder_.path().string(); }

  // Ends the session of a server that was told to stay.
  void end_session() const { ::shutdown(session_, SHUT_RDWR); }

  // Waits for the connection of a cancel request. The request gets no answer.
  bool is_asked_to_cancel() const {
    pollfd request{.fd = listener_, .events = POLLIN, .revents = 0};
    return ::poll(&request, 1, 60'000) == 1;
  }

 private:
  void serve() {
    const int session = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (session < 0) return;
    session_ = session;
    std::array<char, 4096> taken{};
    if (::read(session, taken.data(), taken.size()) > 0) {
      say(session, greeting_);
      // A pipeline of a few statements comes in one piece.
      if (::read(session, taken.data(), taken.size()) > 0) say(session, answer_);
      while (stays_ && ::read(session, taken.data(), taken.size()) > 0) {
      }
    }
    // The destructor closes a session that stays: end_session() needs its number until then.
    if (!stays_) ::close(session);
  }

  // Ignores errors: the session may have ended.
  static void say(int session, const std::string& text) {
    static_cast<void>(::send(session, text.data(), text.size(), MSG_NOSIGNAL));
  }

  test::TemporaryFolder folder_;
  std::string greeting_;
  std::string answer_;
  bool stays_;
  int listener_ = -1;
  std::atomic<int> session_ = -1;
  std::thread thread_;
};

const Statement first{"first", ""};
const Statement second{"second", ""};
const Statement sent_commit{"commit", ""};

// How a pipeline of two statements and a COMMIT ends; nothing: it has its results.
std::optional<Error> end_of(const std::string& answer, Commits commits = Commits::yes,
                            bool stays = false) {
  const ToldServer server(answer, stays);
  coro::Worker worker;
  const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
  connection->send(first);
  connection->send(second);
  connection->send(sent_commit);
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

// The transaction may have been committed on another node before the server reported its error.
TEST(Loss, AfterAnErrorOfSeveralNodesIsAmbiguous) {
  const std::string shard = failure("ERROR", "XX000");
  for (const std::string& rest : {std::string(), ready.substr(0, 3), failure("FATAL", "57P01")}) {
    const auto error = end_of(work + shard + rest);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
    EXPECT_EQ(error->sqlstate(), "XX000") << error->what();
  }
  // Before the COMMIT it has committed nothing.
  const auto before = end_of(complete("INSERT 0 1") + shard);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->error_class(), ErrorClass::connection_lost) << before->what();
}

// Citus passes on what its workers say as WARNINGs.
TEST(Loss, OfACommitThatAWorkerRefusesIsNone) {
  struct Case {
    std::vector<const char*> warnings;
    ErrorClass error_class;
  };
  for (const Case& c :
       {Case{{"40001"}, ErrorClass::retryable}, Case{{"08006"}, ErrorClass::ambiguous_commit},
        Case{{"40001", "08006"}, ErrorClass::ambiguous_commit},
        Case{{"08006", "40001"}, ErrorClass::ambiguous_commit},
        Case{{}, ErrorClass::ambiguous_commit}}) {
    std::string answer = complete("INSERT 0 1");
    for (const char* warning : c.warnings) {
      answer += failure("WARNING", warning);
      answer[answer.size() - failure("WARNING", warning).size()] = 'N';
    }
    const ToldServer server(answer + failure("ERROR", "XX000") + ready, true);
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
    connection->set_dialect(Dialect::citus);
    connection->send(first);
    connection->send(sent_commit);
    try {
      coro::block_on(worker, connection->run(Commits::yes));
      ADD_FAILURE() << "the commit was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error_class_name(error.error_class()), error_class_name(c.error_class))
          << error.what();
      EXPECT_FALSE(connection->broken());
    }
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

// The server answers in order, and rolls back the transaction within which it ends a session.
TEST(Loss, BeforeTheCommitIsCertainWhereTheServerSaysWhy) {
  for (const char* sqlstate : {"57P01", "57P05", "25P03"}) {
    for (const std::string& before : {std::string(), complete("INSERT 0 1")}) {
      const auto error = end_of(before + failure("FATAL", sqlstate));
      ASSERT_TRUE(error);
      EXPECT_EQ(error->error_class(), ErrorClass::connection_lost) << error->what();
      EXPECT_EQ(error->sqlstate(), sqlstate);
    }
  }
  // 08P01 is a pooler's error: the pooler does not know what its server has done.
  EXPECT_EQ(end_of(failure("FATAL", "08P01"))->error_class(), ErrorClass::ambiguous_commit);
}

TEST(Loss, OfALoneStatementIsCertainWhereTheServerSaysWhy) {
  struct Case {
    Statement statement;
    std::string answer;
    ErrorClass expected;
  };
  const Statement lone_commit{"commit", "COMMIT"};
  for (const auto& [statement, answer, expected] :
       {Case{first, failure("FATAL", "57P05"), ErrorClass::connection_lost},
        Case{first, complete("INSERT 0 1") + failure("FATAL", "57P05"),
             ErrorClass::ambiguous_commit},
        Case{lone_commit, failure("FATAL", "25P03"), ErrorClass::connection_lost},
        Case{lone_commit, failure("FATAL", "57P01"), ErrorClass::ambiguous_commit}}) {
    const ToldServer server(answer);
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
    connection->send(statement);
    try {
      coro::block_on(worker, connection->run(Commits::yes));
      ADD_FAILURE() << "the session was lost";
    } catch (const Error& error) {
      EXPECT_EQ(error_class_name(error.error_class()), error_class_name(expected)) << error.what();
    }
  }
}

// The server ends the session with this answer to a statement of a script.
TEST(Loss, SaysThatAStatementWasNeverExecuted) {
  struct Case {
    std::string answer;
    bool is_certain;
  };
  for (const Case& c :
       {Case{failure("FATAL", "57P05"), true},
        Case{message('C', std::string("INSERT 0 1") + '\0') + failure("FATAL", "57P05"), false},
        Case{failure("FATAL", "08P01"), false}, Case{"", false}}) {
    const ToldServer server(c.answer);
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
    connection->ask("INSERT");
    bool certain = false;
    try {
      Result result;
      do {
        coro::block_on(worker, connection->wait_for_answer());
        result = connection->take_answer();
      } while (result.get() != nullptr);
      ADD_FAILURE() << "the session was lost";
    } catch (const NeverExecuted&) {
      certain = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
    }
    EXPECT_EQ(certain, c.is_certain);
  }
}

TEST(Loss, IsSeenBeforeAnIdleSessionIsUsed) {
  // Gives the worker a turn to read what has arrived.
  const auto turn = []() -> coro::Task<void> { co_await coro::sleep_for(1ms); };
  for (const std::string& last_word : {std::string(), failure("FATAL", "57P05")}) {
    std::optional<ToldServer> server(std::in_place, complete("SELECT 1") + ready + last_word, true);
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server->conninfo()));
    connection->send(first);
    coro::block_on(worker, connection->run());
    coro::block_on(worker, turn());
    if (last_word.empty()) EXPECT_TRUE(connection->still_open());
    server->end_session();
    coro::block_on(worker, turn());
    EXPECT_FALSE(connection->still_open());
    EXPECT_TRUE(connection->broken());
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

// The server ends while a cancel request waits for its answer.
TEST(Loss, OfACancelledSessionDoesNotKeepTheServer) {
  const ToldServer server("", true);
  {
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
    connection->ask("SELECT 1");
  }
  EXPECT_TRUE(server.is_asked_to_cancel());
}

// A session that was lost while nobody used it: libpq cannot write, and then finds nothing to read.
TEST(Loss, IsSaidOnce) {
  std::optional<ToldServer> server(complete("SELECT 1") + ready);
  coro::Worker worker;
  const auto connection = coro::block_on(worker, Connection::open(server->conninfo()));
  connection->send(first);
  coro::block_on(worker, connection->run());
  server.reset();
  try {
    connection->send(second);
    coro::block_on(worker, connection->run());
    ADD_FAILURE() << "nobody is there";
  } catch (const Error& error) {
    const std::string_view sentence = "server closed the connection unexpectedly";
    const std::string text = error.what();
    EXPECT_EQ(text.find(sentence), text.rfind(sentence)) << text;
    EXPECT_NE(text.find(sentence), std::string::npos) << text;
  }
}

// How "BEGIN; UPDATE; COMMIT" ends, as a pipeline.
std::optional<Error> end_of_transaction(const std::string& answer) {
  const std::array statements = {Statement{"begin", "BEGIN"}, Statement{"update", "UPDATE t"},
                                 Statement{"commit", "COMMIT"}};
  const ToldServer server(answer, true);
  coro::Worker worker;
  const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
  for (const Statement& statement : statements) connection->send(statement);
  try {
    coro::block_on(worker, connection->run(Commits::yes));
    return std::nullopt;
  } catch (const Error& error) {
    EXPECT_EQ(connection->broken(), error.error_class() != ErrorClass::statement) << error.what();
    return error;
  }
}

const std::string updated = complete("BEGIN") + complete("UPDATE 1");

// Refusals are classed by their SQLSTATE, in any language.
TEST(Refusals, AreClassedByWhatTheServerMeans) {
  struct Case {
    const char* sqlstate;
    const char* text;
    ErrorClass error_class;
  };
  for (const Case& c :
       {Case{"28P01", "Passwort-Authentifizierung fehlgeschlagen", ErrorClass::denied},
        Case{"28000", "kein pg_hba.conf-Eintrag", ErrorClass::denied},
        Case{"3D000", "Datenbank existiert nicht", ErrorClass::denied},
        Case{"42501", "keine Berechtigung", ErrorClass::denied},
        Case{"42704", "unbekannter Konfigurationsparameter", ErrorClass::denied},
        Case{"53300", "zu viele Verbindungen", ErrorClass::unavailable},
        Case{"57P03", "das Datenbanksystem startet", ErrorClass::unavailable},
        // The English text is ignored if there is a SQLSTATE.
        Case{"57P03", "password authentication failed", ErrorClass::unavailable},
        // PgBouncer and pgpool-II use one SQLSTATE for nearly everything, and write English only.
        Case{"08P01", "no such database: x", ErrorClass::denied},
        Case{"08P01", "query_wait_timeout", ErrorClass::unavailable}}) {
    const ToldServer server("", false, german_failure(c.sqlstate, c.text));
    coro::Worker worker;
    try {
      coro::block_on(worker, Connection::open(server.conninfo()));
      ADD_FAILURE() << c.text;
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_EQ(error_class_name(error.error_class()), error_class_name(c.error_class)) << said;
      EXPECT_EQ(error.sqlstate(), c.sqlstate);
      EXPECT_TRUE(said.ends_with(std::string("FATALER FEHLER:  ") + c.text + " [SQLSTATE " +
                                 c.sqlstate + "]") ||
                  said.ends_with(std::string("FATALER FEHLER: ") + c.text + " [SQLSTATE " +
                                 c.sqlstate + "]"))
          << said;
      EXPECT_EQ(said.find("LOCATION"), std::string::npos) << said;
    }
  }
}

TEST(Answers, ACommitThatIsAnsweredRollbackHasNotCommitted) {
  EXPECT_EQ(end_of_transaction(updated + complete("COMMIT") + ready), std::nullopt);
  const auto error = end_of_transaction(updated + complete("ROLLBACK") + ready);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error_class(), ErrorClass::statement);
  EXPECT_NE(std::string(error->what()).find("answered COMMIT with ROLLBACK"), std::string::npos);
}

// Then it is certain, too, if the session is lost right after.
TEST(Answers, AfterARollbackALossIsNotAmbiguous) {
  for (const std::string& rest : {std::string(), ready.substr(0, 3), failure("FATAL", "57P01")}) {
    const std::string rolled_back = work + complete("ROLLBACK");
    const ToldServer server(rolled_back + rest);
    coro::Worker worker;
    const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
    const Statement really_commit{"commit", "COMMIT"};
    for (const Statement& one : {first, second, really_commit}) connection->send(one);
    try {
      coro::block_on(worker, connection->run(Commits::yes));
      ADD_FAILURE() << "it counts as committed";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
    }
  }
}

// What the server is about nobody knows, and so neither whether it has committed.
TEST(Answers, OfAnotherStatementAreAmbiguous) {
  const std::string commit_done = complete("COMMIT") + ready;
  for (const std::string& answer :
       {updated + complete("COMMIT PREPARED") + ready, updated + complete("") + ready,
        updated + complete("COMMITTED") + ready, updated + complete("SELECT 1") + ready,
        complete("SET") + complete("UPDATE 1") + commit_done,
        complete("BEGIN") + complete("SELECT 1") + commit_done}) {
    const auto error = end_of_transaction(answer);
    ASSERT_TRUE(error) << answer;
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
  }
}

TEST(Answers, ThatLeaveATransactionOpenAreAmbiguous) {
  for (const std::string& state : {in_transaction, message('Z', "E"), message('Z', "?")}) {
    const auto error = end_of_transaction(updated + complete("COMMIT") + state);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_class(), ErrorClass::ambiguous_commit) << error->what();
  }
}

// How a pipeline of one statement that commits nothing ends.
std::optional<Error> end_of_one(const std::string& sql, const std::string& answer) {
  const ToldServer server(answer, true);
  coro::Worker worker;
  const auto connection = coro::block_on(worker, Connection::open(server.conninfo()));
  const Statement statement{"one", sql};
  connection->send(statement);
  try {
    coro::block_on(worker, connection->run());
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

TEST(Answers, EndTheSessionWhereTheStateIsAnother) {
  EXPECT_EQ(end_of_one("BEGIN", complete("BEGIN") + in_transaction), std::nullopt);
  EXPECT_EQ(end_of_one("ROLLBACK", complete("ROLLBACK") + ready), std::nullopt);
  EXPECT_EQ(end_of_one("SELECT 1", complete("SELECT 1") + ready), std::nullopt);
  const std::array<std::pair<const char*, std::string>, 6> wrong = {{
      {"BEGIN", complete("BEGIN") + ready},  // each statement would be committed by itself
      {"BEGIN", complete("SET") + in_transaction},
      {"ROLLBACK", complete("COMMIT") + ready},
      {"ROLLBACK", complete("ROLLBACK") + in_transaction},
      {"SELECT 1", complete("SELECT 1") + message('Z', "E")},
      {"SELECT 1", complete("SELECT 1") + in_transaction},
  }};
  for (const auto& [sql, answer] : wrong) {
    const auto error = end_of_one(sql, answer);
    ASSERT_TRUE(error) << sql << answer;
    EXPECT_EQ(error->error_class(), ErrorClass::connection_lost) << error->what();
  }
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
  auto connection = open();
  connection->set_round_trip_limit(30s);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run(connection->query("SELECT 7")).text(0, 0), "7");
    EXPECT_EQ(run(connection->script("SELECT 8")).text(0, 0), "8");
  }
  EXPECT_LE(worker.timers().size(), 1U) << "one timer serves all round trips";
  connection->set_round_trip_limit(1ms);
  run(sleep(20ms));
  EXPECT_FALSE(connection->broken()) << "nobody waits for an answer";
  connection->set_round_trip_limit(std::nullopt);
  EXPECT_EQ(run(connection->query("SELECT pg_sleep(0.02), 9")).text(0, 1), "9");
  connection->set_round_trip_limit(50ms);
  expect_no_answer(*connection, connection->query("SELECT pg_sleep(3600)"),
                   ErrorClass::connection_lost);
  connection.reset();
  EXPECT_FALSE(worker.timers().next_expiry()) << "a timer is left behind";
}

// The same in the simple protocol, which import, init, clean and check speak.
TEST_F(RoundTrips, ACommitOfAFailedTransactionIsAnError) {
  const auto connection = open();
  run(connection->script("BEGIN; SAVEPOINT here; CREATE TABLE not_committed (x int)"));
  EXPECT_TRUE(connection->in_transaction());
  EXPECT_THROW(run(connection->script("SELECT 1 / 0")), Error);
  try {
    run(connection->script("COMMIT"));
    ADD_FAILURE() << "it counts as committed";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::statement) << error.what();
  }
  EXPECT_FALSE(connection->broken());
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_THROW(run(connection->script("COMMIT")), Error) << "there is none";
  run(connection->script("BEGIN; SAVEPOINT here"));
  EXPECT_THROW(run(connection->script("SELECT 1 / 0")), Error);
  run(connection->script("ROLLBACK TO SAVEPOINT here"));
  EXPECT_TRUE(connection->in_transaction());
  run(connection->script("CREATE TABLE committed (x int)"));
  run(connection->script("COMMIT"));
  EXPECT_EQ(run(connection->query("SELECT count(*) FROM committed")).text(0, 0), "0");
}

TEST_F(RoundTrips, TheProcessIsThatOfTheServer) {
  const auto connection = open();
  EXPECT_EQ(std::to_string(connection->backend_pid()),
            run(connection->query("SELECT pg_backend_pid()")).text(0, 0));
}

}  // namespace
}  // namespace drover::database::postgres
