// The endpoint as its clients see it, the slow and the hostile ones included.
#include "metrics/metrics_endpoint.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "metrics/example_plan_test.h"

namespace drover::metrics {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

load::Plan plan() {
  load::Plan plan = example_plan();
  plan.connections = 8;
  plan.warmup = 1s;
  return plan;
}

std::unique_ptr<MetricsEndpoint> open_endpoint(const ListenAddress& address = {}) {
  return std::make_unique<MetricsEndpoint>(
      address, plan(), std::vector<std::pair<std::string, std::string>>{{"version", "0.0.0"}});
}

std::uint16_t port_of(const MetricsEndpoint& endpoint) {
  const std::string url = endpoint.url();
  const std::size_t colon = url.rfind(':');
  return static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
}

// A connection of a client; nothing of it waits for more than a minute.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }

  bool connected() const { return connected_; }

  bool say(const std::string& text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }

  // Until the server has nothing more to say.
  std::string hear() {
    std::string answer;
    std::array<char, 8192> bytes{};
    for (;;) {
      const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (count <= 0) return answer;
      answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

std::string ask(const MetricsEndpoint& endpoint, const std::string& request) {
  Client client(port_of(endpoint));
  EXPECT_TRUE(client.connected());
  client.say(request);
  return client.hear();
}

const std::string get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

std::string scrape(const MetricsEndpoint& endpoint) {
  const std::string answer = ask(endpoint, get);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer.substr(0, 100);
  EXPECT_NE(answer.find("\r\nContent-Type: text/plain"), std::string::npos);
  return answer;
}

void expect_line(const std::string& scraped, const std::string& line) {
  EXPECT_NE(scraped.find("\n" + line + "\n"), std::string::npos) << line;
}

TEST(MetricsEndpoint, ShowsTheRunAsItGoes) {
  const auto endpoint = open_endpoint();
  EXPECT_TRUE(endpoint->url().starts_with("http://127.0.0.1:")) << endpoint->url();
  EXPECT_FALSE(endpoint->url().starts_with("http://127.0.0.1:0/"));
  expect_line(scrape(*endpoint), R"(drover_run_phase{phase="starting"} 1)");
  endpoint->on_started(1s);
  expect_line(scrape(*endpoint), R"(drover_run_phase{phase="warmup"} 1)");
  expect_line(scrape(*endpoint), "drover_database_connections_open 8");
  load::Snapshot snapshot;
  snapshot.second.phase = load::Phase::measure;
  snapshot.measured[0].ok_count = 17;
  endpoint->on_snapshot(snapshot);
  const std::string line =
      R"(drover_tpcc_transactions_total{phase="measure",transaction="NewOrder",outcome="committed"} )";
  expect_line(scrape(*endpoint), line + "17");
  endpoint->on_ended(false);
  expect_line(scrape(*endpoint), R"(drover_run_phase{phase="ended"} 1)");
  load::Outcome outcome;
  outcome.workers.push_back(std::make_unique<load::WorkerMetrics>());
  for (int i = 0; i < 18; ++i) outcome.workers.back()->measured[0].latency.record(1'000'000);
  endpoint->show_outcome(outcome);
  expect_line(scrape(*endpoint), line + "18");
}

TEST(MetricsEndpoint, OfThisProcess) {
  const auto endpoint = open_endpoint();
  const std::string scraped = scrape(*endpoint);
  const std::size_t memory = scraped.find("\nprocess_resident_memory_bytes ");
  ASSERT_NE(memory, std::string::npos);
  EXPECT_GT(std::stod(scraped.substr(scraped.find(' ', memory + 2))), 1e6);
}

TEST(MetricsEndpoint, AnAddressThatIsTakenIsAnErrorBeforeTheRun) {
  const auto first = open_endpoint();
  ListenAddress taken;
  taken.port = port_of(*first);
  try {
    open_endpoint(taken);
    ADD_FAILURE() << "both listen";
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("127.0.0.1:" + std::to_string(taken.port)), std::string::npos)
        << message;
    EXPECT_NE(message.find("Address already in use"), std::string::npos) << message;
  }
  scrape(*first);
}

TEST(MetricsEndpoint, AnAddressOfAnotherMachineIsAnError) {
  ListenAddress elsewhere;
  elsewhere.host = "192.0.2.1";  // for documentation (RFC 5737): nobody has it
  EXPECT_THROW(open_endpoint(elsewhere), std::runtime_error);
}

TEST(MetricsEndpoint, OverIpv6OrSaysWhyNot) {
  ListenAddress loopback;
  loopback.host = "::1";
  try {
    const auto endpoint = open_endpoint(loopback);
    EXPECT_TRUE(endpoint->url().starts_with("http://[::1]:")) << endpoint->url();
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("metrics: cannot listen on [::1]:0: ")) << message;
    EXPECT_TRUE(message.find("IPv4") != std::string::npos ||
                message.find("address") != std::string::npos)
        << message;
  }
}

TEST(MetricsEndpoint, AnswersOnlyGetOfMetrics) {
  const auto endpoint = open_endpoint();
  for (const char* path : {"/", "/metrics/", "/metrics/x", "/metric", "/metricsx", "/../etc/passwd",
                           "/metrics/../../etc/passwd", "/etc/passwd", "/%2e%2e/etc/passwd",
                           "//etc/passwd", "/index.html", "/<script>"}) {
    const std::string answer =
        ask(*endpoint, std::string("GET ") + path + " HTTP/1.0\r\nHost: x\r\n\r\n");
    const std::string line = answer.substr(0, answer.find('\r'));
    EXPECT_TRUE(line.find(" 404 ") != std::string::npos || line.find(" 400 ") != std::string::npos)
        << path << ": " << line;
    EXPECT_EQ(answer.find("root:"), std::string::npos) << path;
    EXPECT_EQ(answer.find("<script>"), std::string::npos) << path;
  }
  for (const char* method : {"POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "MKCOL",
                             "PROPFIND", "CONNECT", "TRACE", "BREW"}) {
    const std::string answer =
        ask(*endpoint, std::string(method) + " /metrics HTTP/1.0\r\nHost: x\r\n" +
                           "Content-Length: 1\r\nOrigin: http://elsewhere.example\r\n\r\nx");
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 2") || answer.starts_with("HTTP/1.0 2"))
        << method << ": " << answer.substr(0, 200);
    EXPECT_EQ(answer.find("drover_"), std::string::npos) << method;
  }
}

TEST(MetricsEndpoint, SaysWhatItAnswers) {
  const auto endpoint = open_endpoint();
  EXPECT_EQ(ask(*endpoint, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 46\r\nConnection: close\r\n\r\n"
            "404 Not Found: only GET /metrics is answered.\n");
  const std::string refused = ask(*endpoint, "PUT /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << refused;
  EXPECT_NE(refused.find("\r\nAllow: GET\r\n"), std::string::npos) << refused;
}

TEST(MetricsEndpoint, NoPageOfAnotherSiteMayReadIt) {
  const auto endpoint = open_endpoint();
  for (const char* method : {"GET", "OPTIONS"}) {
    const std::string answer =
        ask(*endpoint, std::string(method) + " /metrics HTTP/1.0\r\nHost: x\r\n" +
                           "Origin: http://elsewhere.example\r\n" +
                           "Access-Control-Request-Method: GET\r\n\r\n");
    EXPECT_EQ(answer.find("Access-Control-Allow-Origin"), std::string::npos) << method;
  }
}

TEST(MetricsEndpoint, IsNotConfusedByNonsense) {
  const auto endpoint = open_endpoint();
  for (const std::string& nonsense :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("GET /metrics\r\n\r\n"),
        std::string(5000, '\0') + "\r\n\r\n", std::string(100'000, 'A'),
        "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nX: " + std::string(100'000, 'b') + "\r\n\r\n",
        std::string("GET /metrics HTTP/9.9\r\n\r\n"), std::string("\x16\x03\x01\x02\x00\x01"),
        std::string("GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n")}) {
    Client client(port_of(*endpoint));
    client.say(nonsense);
  }
  scrape(*endpoint);
}

// The threads of this process, by their ids.
std::vector<id_t> threads() {
  std::vector<id_t> ids;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    ids.push_back(static_cast<id_t>(std::stoul(entry.path().filename().string())));
  }
  return ids;
}

std::string status_line(id_t thread, const std::string& name) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return "";
}

// A thread lowers its priority when it begins, and may not have begun yet.
bool becomes_nice(id_t thread) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (getpriority(PRIO_PROCESS, thread) != 10) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

TEST(MetricsEndpoint, ItsThreadsAreFewAndTakeNoSignalsAndLittleTime) {
  std::thread([] {}).join();  // with the first thread a sanitizer starts one of its own
  const std::vector<id_t> before = threads();
  struct sigaction pipe_before{};
  sigaction(SIGPIPE, nullptr, &pipe_before);
  sigset_t mask_before;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  {
    const auto endpoint = open_endpoint();
    scrape(*endpoint);
    int more = 0;
    for (const id_t thread : threads()) {
      if (std::find(before.begin(), before.end(), thread) != before.end()) continue;
      ++more;
      const std::string blocked = status_line(thread, "SigBlk:\t");
      const std::uint64_t mask = std::stoull(blocked, nullptr, 16);
      for (const int signal : {SIGINT, SIGTERM, SIGWINCH, SIGPIPE, SIGHUP}) {
        EXPECT_NE(mask >> (signal - 1) & 1, 0U) << "signal " << signal << " of " << blocked;
      }
      EXPECT_TRUE(becomes_nice(thread));
    }
    EXPECT_GE(more, 2);
    EXPECT_LE(more, 4);
  }
  struct sigaction pipe_after{};
  sigaction(SIGPIPE, nullptr, &pipe_after);
  EXPECT_EQ(pipe_after.sa_handler, pipe_before.sa_handler);
  sigset_t mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  for (const int signal : {SIGINT, SIGTERM, SIGWINCH, SIGPIPE}) {
    EXPECT_EQ(sigismember(&mask_after, signal), sigismember(&mask_before, signal));
  }
}

TEST(MetricsEndpoint, WhoSaysNothingIsSentAwayAndKeepsNobodyUp) {
  auto endpoint = open_endpoint();
  // More than there are threads.
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(std::make_unique<Client>(port_of(*endpoint)));
    if (i % 2 == 0) silent.back()->say("GET /metr");
  }
  // What the run does goes on meanwhile.
  for (int i = 0; i < 1000; ++i) endpoint->on_snapshot(load::Snapshot{});
  scrape(*endpoint);  // its turn comes within the minute that a client of this test has
  silent.push_back(std::make_unique<Client>(port_of(*endpoint)));
  // The end does not wait for them.
  endpoint.reset();
}

TEST(MetricsEndpoint, WhoSaysLittleAtATimeIsSentAwayToo) {
  const auto endpoint = open_endpoint();
  Client dripping(port_of(*endpoint));
  dripping.say("GET /metrics HTTP/1.1\r\nX: ");
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  bool open = true;
  while (open && std::chrono::steady_clock::now() < give_up) {
    open = dripping.say("x");
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_FALSE(open);
}

TEST(MetricsEndpoint, IsScrapedWhileTheFiguresChange) {
  auto endpoint = open_endpoint();
  std::atomic<bool> done{false};
  std::vector<std::thread> scrapers;
  std::atomic<int> scrapes{0};
  for (int i = 0; i < 3; ++i) {
    scrapers.emplace_back([&] {
      while (!done) {
        scrape(*endpoint);
        ++scrapes;
      }
    });
  }
  load::Snapshot snapshot;
  snapshot.workers.resize(2);
  while (scrapes < 30) {
    ++snapshot.measured[0].ok_count;
    snapshot.measured[0].latency.record(5'000'000);
    endpoint->on_snapshot(snapshot);
  }
  done = true;
  for (std::thread& scraper : scrapers) scraper.join();
}

}  // namespace
}  // namespace drover::metrics
