// What goes to the server in binary comes back as it was.
#include "database/postgres/statement.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

class Parameter : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(coro::Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> connection = run(Connection::open(server->conninfo()));
};

std::unique_ptr<test::TestServer> Parameter::server;

const Statement echo{"echo", "SELECT $1::int4, $2::int8, $3::text, NULL::int4, NULL::text"};
const Statement numbers{"numbers",
                        "SELECT array_to_string($1::int4[], ','), cardinality($1::int4[]), "
                        "array_ndims($1::int4[])"};
const Statement texts{"texts",
                      "SELECT t FROM unnest($1::text[]) WITH ORDINALITY AS u(t, n) "
                      "ORDER BY n"};
const Statement characters{"characters", "SELECT $1::char(4), $2::varchar(3), length($2::text)"};

const std::array all = {echo, numbers, texts, characters};

TEST_F(Parameter, ComeBackAsTheyWere) {
  run(connection->prepare(all));
  for (const std::int32_t small : {0, 1, -1, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max()}) {
    for (const std::int64_t large :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32,
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
      const Result row = run(connection->execute(echo, small, large, std::string_view("ä€😀'\\")));
      ASSERT_EQ(row.rows(), 1);
      ASSERT_EQ(row.columns(), 5);
      EXPECT_EQ(row.int4(0, 0), small);
      EXPECT_EQ(row.int8(0, 1), large);
      EXPECT_EQ(row.text(0, 2), "ä€😀'\\");
      EXPECT_TRUE(row.is_null(0, 3));
      EXPECT_TRUE(row.is_null(0, 4));
      EXPECT_EQ(row.text(0, 4), "");
    }
  }
  const Result empty = run(connection->execute(echo, 1, std::int64_t{2}, std::string()));
  EXPECT_FALSE(empty.is_null(0, 2)) << "an empty text is no NULL";
  EXPECT_EQ(empty.text(0, 2), "");
}

TEST_F(Parameter, ArraysComeBackInTheirOrder) {
  run(connection->prepare(all));
  const std::vector<std::int32_t> small = {3, -1, 2};
  const Result row = run(connection->execute(numbers, std::span<const std::int32_t>(small)));
  EXPECT_EQ(row.text(0, 0), "3,-1,2");
  EXPECT_EQ(row.int4(0, 1), 3);
  EXPECT_EQ(row.int4(0, 2), 1);

  const std::vector<std::string_view> words = {"Übung", "", "a,b", "{}\"\\", "NULL"};
  const Result list = run(connection->execute(texts, std::span<const std::string_view>(words)));
  ASSERT_EQ(list.rows(), 5);
  for (int i = 0; i < list.rows(); ++i) {
    EXPECT_FALSE(list.is_null(i, 0));
    EXPECT_EQ(list.text(i, 0), words[static_cast<std::size_t>(i)]);
  }
}

TEST_F(Parameter, EmptyArraysAreEmpty) {
  run(connection->prepare(all));
  const Result row = run(connection->execute(numbers, std::span<const std::int32_t>()));
  EXPECT_EQ(row.text(0, 0), "");
  EXPECT_EQ(row.int4(0, 1), 0);
  EXPECT_TRUE(row.is_null(0, 2)) << "an empty array has no dimension";
  EXPECT_EQ(run(connection->execute(texts, std::span<const std::string_view>())).rows(), 0);
}

TEST_F(Parameter, CharactersArePaddedAndCutByTheServer) {
  run(connection->prepare(all));
  const Result row =
      run(connection->execute(characters, std::string_view("ab"), std::string_view("äöüß")));
  EXPECT_EQ(row.text(0, 0), "ab  ");
  EXPECT_EQ(row.text(0, 1), "äöü") << "characters are counted, not bytes";
  EXPECT_EQ(row.int4(0, 2), 4);
}

TEST_F(Parameter, AnIntegerOfAnotherWidthIsAnError) {
  run(connection->prepare(all));
  const Result row = run(connection->execute(echo, 1, std::int64_t{2}, std::string_view("x")));
  EXPECT_THROW(static_cast<void>(row.int8(0, 0)), Error);
  EXPECT_THROW(static_cast<void>(row.int4(0, 1)), Error);
  try {
    static_cast<void>(row.int4(0, 3));
    ADD_FAILURE() << "NULL was read as a number";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::statement);
    EXPECT_NE(std::string(error.what()).find("NULL"), std::string::npos) << error.what();
  }
}

// As the statements of others have them: the server finds out the types.
TEST_F(Parameter, AsTextAreOfAnyType) {
  Parameters parameters;
  const auto add = [&parameters](const char* text) {
    parameters.add_text([text](std::string& out) {
      if (text != nullptr) out += text;
      return text != nullptr;
    });
  };
  for (const char* text : {"17", "0.25", "f", "", "ä'\\"}) add(text);
  add(nullptr);
  connection->ask("SELECT $1 + 1, $2::float8 * 2, NOT $3, length($4), $5 || '!', $6::int IS NULL",
                  parameters);
  run(connection->wait_for_answer());
  const Result row = connection->take_answer();
  ASSERT_EQ(row.rows(), 1) << PQresultErrorMessage(row.get());
  std::string values;
  for (int column = 0; column < row.columns(); ++column)
    values += std::string(row.text(0, column)) + " ";
  EXPECT_EQ(values, "18 0.5 t 0 ä'\\! t ");
  if (!connection->answer_is_here()) run(connection->wait_for_answer());
  EXPECT_EQ(connection->take_answer().get(), nullptr);
  EXPECT_FALSE(connection->broken());
}

TEST_F(Parameter, MayBeMany) {
  Parameters parameters;
  std::string sql = "SELECT 0";
  constexpr int count = 1'000;
  for (int i = 1; i <= count; ++i) {
    sql += " + $" + std::to_string(i) + "::int";
    parameters.add_text([i](std::string& out) {
      out += std::to_string(i);
      return true;
    });
  }
  connection->ask(sql, parameters);
  run(connection->wait_for_answer());
  EXPECT_EQ(connection->take_answer().text(0, 0), std::to_string(count * (count + 1) / 2));
}

TEST_F(Parameter, AreNoMoreThanTheProtocolCanNumber) {
  Parameters parameters;
  for (std::size_t i = 0; i <= Parameters::count_max; ++i) parameters.add(std::int32_t{1});
  EXPECT_THROW(connection->ask("SELECT 1", parameters), Error);
}

}  // namespace
}  // namespace drover::database::postgres
