#include "ranks/link.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::ranks {
namespace {

using coro::Scope;
using coro::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Ends {
  file::FileDescriptor ours;
  file::FileDescriptor theirs;
};

Ends connected_ends() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {file::FileDescriptor(ends[0]), file::FileDescriptor(ends[1])};
}

std::string framed(const std::string& body) {
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(body.size()));
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &length, 4);
  return bytes + body;
}

std::string cbor(const Message& message) {
  const std::vector<std::uint8_t> bytes = Message::to_cbor(message);
  return {bytes.begin(), bytes.end()};
}

void put(int socket, const std::string& bytes) {
  ASSERT_EQ(write(socket, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

// What receive() says to these bytes, behind which the other side closes.
std::string failure_at(const std::string& bytes, std::size_t bytes_max = first_message_bytes_max) {
  coro::Worker worker;
  Ends ends = connected_ends();
  put(ends.theirs.get(), bytes);
  ends.theirs.reset();
  const auto receive = [&]() -> Task<std::string> {
    Link link(std::move(ends.ours));
    try {
      const Message received = co_await link.receive(bytes_max);
      co_return "(it was taken: " + kind_of(received) + ")";
    } catch (const LinkError& error) {
      co_return error.what();
    }
  };
  return coro::block_on(worker, receive());
}

TEST(Link, MessagesInPieces) {
  coro::Worker worker;
  Ends ends = connected_ends();
  Message sent = message("work");
  sent["numbers"] = {1, -2, 3.5};
  sent["text"] = "a b";
  const std::string bytes = framed(cbor(sent)) + framed(cbor(message("bye")));
  std::vector<Message> received;
  auto body = [&](Scope& scope) -> Task<void> {
    const auto read = [&]() -> Task<void> {
      Link link(std::move(ends.ours));
      for (int i = 0; i < 2; ++i) received.push_back(co_await link.receive());
    };
    scope.start(read());
    for (const char byte : bytes) {
      put(ends.theirs.get(), std::string(1, byte));
      co_await coro::sleep_for(coro::Duration(1));
    }
  };
  coro::block_on(worker, coro::with_scope(body));
  EXPECT_THAT(received, ElementsAre(sent, message("bye")));
}

TEST(Link, WhatIsNoMessage) {
  const std::string none = "received data that is not a message";
  EXPECT_EQ(failure_at(framed(cbor(message("hello")))), "(it was taken: hello)");
  EXPECT_EQ(failure_at(framed("")), none);
  EXPECT_EQ(failure_at(framed("GET / HTTP/1.1\r\n\r\n")), none);
  EXPECT_EQ(failure_at(framed(cbor(Message::array({1, 2})))), none);
  EXPECT_EQ(failure_at(framed(cbor({{"kind", 7}}))), none);
  EXPECT_EQ(failure_at(framed(cbor({{"kind", ""}}))), none);
  EXPECT_EQ(failure_at(framed(cbor({{"text", "hello"}}))), none);
  // Something behind it, and half of one.
  EXPECT_EQ(failure_at(framed(cbor(message("hello")) + "x")), none);
  EXPECT_EQ(failure_at(framed(cbor(message("hello")).substr(0, 5))), none);
}

TEST(Link, WhatIsTooLongIsNotRead) {
  EXPECT_EQ(failure_at("GET / HTTP/1.1\r\n\r\n"),
            "received a message of 1195725856 bytes, which is too long");
  EXPECT_EQ(failure_at(framed(cbor(message("hello"))), 10),
            "received a message of 12 bytes, which is too long");
}

// A reader that goes down the stack for each bracket would go down too far.
TEST(Link, WhatIsTooDeepIsNotRead) {
  EXPECT_EQ(failure_at(framed(std::string(60'000, '\x81'))), "received data that is not a message");
  EXPECT_EQ(failure_at(framed(std::string(60'000, '\xbf'))), "received data that is not a message");
  // {"_": {"_": …
  std::string objects;
  for (int i = 0; i < 15'000; ++i) objects += "\xa1\x61_";
  EXPECT_EQ(failure_at(framed(objects)), "received data that is not a message");
}

TEST(Link, TheOtherSideCloses) {
  EXPECT_EQ(failure_at(""), "the connection was closed");
  EXPECT_EQ(failure_at(std::string(3, '\0')), "the connection was closed");
  EXPECT_EQ(failure_at(framed(cbor(message("hello"))).substr(0, 9)), "the connection was closed");
}

TEST(Link, ManyMessagesToASlowReader) {
  coro::Worker worker;
  Ends ends = connected_ends();
  constexpr int count = 400;
  int read = 0;
  auto body = [&](Scope& scope) -> Task<void> {
    Link writing(std::move(ends.ours));
    Link reading(std::move(ends.theirs));
    // More than the socket takes at once, though nobody reads yet.
    for (int i = 0; i < count; ++i) {
      Message one = message("part");
      one["number"] = i;
      one["text"] = std::string(10'000, 'x');
      writing.send(one);
    }
    EXPECT_FALSE(writing.is_empty());
    Scope inner(scope);
    inner.start(writing.write_out());
    for (; read < count; ++read) {
      const Message one = co_await reading.receive();
      EXPECT_EQ(one.at("number"), read);
    }
    inner.cancel();
    co_await inner.join();
    EXPECT_TRUE(writing.is_empty());
  };
  coro::block_on(worker, coro::with_scope(body));
  EXPECT_EQ(read, count);
}

TEST(Link, WritingToWhoIsGone) {
  coro::Worker worker;
  Ends ends = connected_ends();
  ends.theirs.reset();
  const auto write = [&]() -> Task<void> {
    Link link(std::move(ends.ours));
    link.send(message("alive"));
    co_await link.write_out();
  };
  EXPECT_THROW(coro::block_on(worker, write()), LinkError);
}

TEST(Endpoints, ThereAndBack) {
  const std::vector<Endpoint> some = {{"10.0.0.1", 4711}, {"fd00::1", 1}, {"::", 65535}};
  EXPECT_EQ(endpoints_text(some), "10.0.0.1:4711,[fd00::1]:1,[::]:65535");
  EXPECT_EQ(parse_endpoints(endpoints_text(some)), some);
  EXPECT_TRUE(parse_endpoints("").empty());
}

TEST(Endpoints, WhatIsNone) {
  for (const char* text : {"10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:-1",
                           "10.0.0.1:47x", "host:4711", ":4711", "10.0.0:4711", ",", "[fd00::1]"}) {
    EXPECT_THROW(parse_endpoints(text), std::invalid_argument) << text;
  }
}

TEST(Listener, ComesByTheFirstAddressThatAnswers) {
  coro::Worker worker;
  const auto meet = [&]() -> Task<std::string> {
    Listener listener(Endpoint{"127.0.0.1", 0});
    Endpoint refusing = listener.endpoints().front();
    {
      // A port that nobody listens at.
      Listener gone(Endpoint{"127.0.0.1", 0});
      refusing = gone.endpoints().front();
    }
    std::vector<Endpoint> endpoints = {refusing, listener.endpoints().front(), refusing};
    Link from(co_await connect_to_one_of(endpoints, std::chrono::seconds(60)));
    EXPECT_EQ(endpoints.size(), 1u);
    Link to(co_await listener.accept());
    from.send(message("hello"));
    Scope writing(co_await coro::current_source());
    writing.start(from.write_out());
    const Message received = co_await to.receive();
    writing.cancel();
    co_await writing.join();
    co_return kind_of(received);
  };
  EXPECT_EQ(coro::block_on(worker, meet()), "hello");
}

// On another host 0.0.0.0 would be that one.
TEST(Listener, EveryAddressIsToldAsWhatItIs) {
  for (const char* host : {"", "0.0.0.0", "::"}) {
    const std::vector<Endpoint> endpoints = Listener(Endpoint{host, 0}).endpoints();
    EXPECT_FALSE(endpoints.empty()) << host;
    for (const Endpoint& one : endpoints) {
      EXPECT_NE(one.host, "0.0.0.0");
      EXPECT_NE(one.host, "::");
      EXPECT_NE(one.port, 0);
    }
  }
}

TEST(Listener, NobodyAnswers) {
  coro::Worker worker;
  Endpoint refusing;
  const auto connect = [&]() -> Task<void> {
    {
      Listener gone(Endpoint{"127.0.0.1", 0});
      refusing = gone.endpoints().front();
    }
    std::vector<Endpoint> endpoints = {refusing};
    co_await connect_to_one_of(endpoints, std::chrono::seconds(60));
  };
  try {
    coro::block_on(worker, connect());
    FAIL() << "somebody answered";
  } catch (const LinkError& error) {
    EXPECT_THAT(error.what(), HasSubstr(refusing.text() + ": Connection refused"));
  }
}

}  // namespace
}  // namespace drover::ranks
