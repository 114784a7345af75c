// The lower bound of a client's CPU time. Sends the messages of `drover sql run --builtin
// select-only`, one prepared SELECT at a time per session, and discards the answers. libpq opens
// the sessions and prepares the statement. After that the program uses only sockets, epoll and
// messages built in place: no clock, no histogram, no library. It measures the kernel's work, which
// no client with one statement at a time per session can avoid.
//
//   client_floor CLIENTS SECONDS CONNINFO       prints {"rate": …, "cpu_us": …} of one thread
//
// bench/clients runs it beside other clients. Messages: PostgreSQL's manual, "Message Formats".
#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t accounts = 1'000'000;  // of scale 10

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "client_floor: {}\n", why);
  std::exit(1);
}

class Message {
 public:
  std::string_view bytes() const { return {bytes_.data(), size_}; }

  void byte(char value) { bytes_[size_++] = value; }
  void int16(std::uint16_t value) {
    byte(static_cast<char>(value >> 8));
    byte(static_cast<char>(value));
  }
  void int32(std::uint32_t value) {
    int16(static_cast<std::uint16_t>(value >> 16));
    int16(static_cast<std::uint16_t>(value));
  }
  void text(std::string_view value) {
    for (const char c : value) byte(c);
  }

 private:
  std::array<char, 128> bytes_;
  std::size_t size_ = 0;
};

// Bind, Execute and Sync, for the account of that number.
Message select_account(std::uint64_t account) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), account).ptr;
  const std::string_view value(digits.data(), static_cast<std::size_t>(end - digits.data()));
  Message message;
  message.byte('B');
  message.int32(static_cast<std::uint32_t>(17 + value.size()));
  message.text(std::string_view("\0s\0", 3));  // the portal without a name, of the statement "s"
  message.int16(0);                            // formats: text
  message.int16(1);                            // one parameter
  message.int32(static_cast<std::uint32_t>(value.size()));
  message.text(value);
  message.int16(0);  // formats of the results: text
  message.byte('E');
  message.int32(9);
  message.byte('\0');
  message.int32(0);
  message.byte('S');
  message.int32(4);
  return message;
}

class Client {
 public:
  Client(const char* conninfo, std::uint64_t seed) : state_(seed), session_(PQconnectdb(conninfo)) {
    if (PQstatus(session_) != CONNECTION_OK) give_up(PQerrorMessage(session_));
    PGresult* const prepared = PQprepare(
        session_, "s", "SELECT abalance FROM pgbench_accounts WHERE aid = $1", 0, nullptr);
    if (PQresultStatus(prepared) != PGRES_COMMAND_OK) give_up(PQresultErrorMessage(prepared));
    PQclear(prepared);
  }
  int socket() const { return PQsocket(session_); }

  void ask() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const Message message = select_account(1 + (state_ >> 33) % accounts);
    const std::string_view bytes = message.bytes();
    if (::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != std::ssize(bytes)) {
      give_up("the socket accepted only a part of a message");
    }
  }

  // Whether it was the whole answer: a ReadyForQuery of six bytes is at its end, and all of it
  // comes at a time.
  bool take_answer() {
    std::array<char, 4096> answer;
    const ssize_t size = ::recv(socket(), answer.data(), answer.size(), 0);
    constexpr ssize_t ready_size = 6;
    if (size < ready_size || answer[0] == 'E') give_up("the server refused the statement");
    return answer[static_cast<std::size_t>(size - ready_size)] == 'Z';
  }

 private:
  std::uint64_t state_;
  PGconn* session_;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t run_until(SteadyClock::time_point end, int epoll, std::vector<Client>& clients) {
  std::uint64_t count = 0;
  std::array<epoll_event, 256> events;
  for (Client& client : clients) client.ask();
  while (SteadyClock::now() < end) {
    const int ready = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 100);
    for (int i = 0; i < ready; ++i) {
      Client& client = clients[events[static_cast<std::size_t>(i)].data.u64];
      if (!client.take_answer()) continue;
      ++count;
      client.ask();
    }
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) give_up("expected CLIENTS SECONDS CONNINFO");
  const auto wanted = static_cast<std::size_t>(std::atoi(argv[1]));
  const int seconds = std::atoi(argv[2]);
  const int epoll = epoll_create1(0);
  std::vector<Client> clients;
  for (std::size_t i = 0; i < wanted; ++i) {
    Client& client = clients.emplace_back(argv[3], i + 1);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, client.socket(), &event);
  }
  const double cpu_before = cpu_seconds();
  const auto begin = SteadyClock::now();
  const std::uint64_t count = run_until(begin + std::chrono::seconds(seconds), epoll, clients);
  const std::chrono::duration<double> elapsed = SteadyClock::now() - begin;
  fmt::print("{{\"rate\": {}, \"cpu_us\": {}}}\n", static_cast<double>(count) / elapsed.count(),
             (cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(count));
}
