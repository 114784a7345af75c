// rate_limited_crawler: reads the pages of a local web server and follows their links, with at most
// RATE requests per second and CONNECTIONS at a time, and prints the pages.
//
//   rate_limited_crawler http://127.0.0.1:8000/ RATE CONNECTIONS DEPTH
//
// It shows:
//   - A Limiter in front of a service. All pages of a level are requested at once. The limiter
//     admits them first come, first served, without counting, sleeping or polling in the crawler.
//   - when_all: tasks side by side with results in order.
//   - with_deadline: cancels a slow request wherever it waits.
//   - A failure is a value (Page::error) where the crawl should continue, an exception elsewhere.
//
// It accepts only numeric addresses: looking up a name would block the thread and all its tasks.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/limiter.h"
#include "coro/scope.h"
#include "stream.h"

namespace {

using drover::coro::Limiter;
using drover::coro::Task;
using namespace std::chrono_literals;

constexpr std::size_t answer_size_max = 1 << 20;
constexpr std::size_t pages_max = 10'000;
constexpr auto request_time_max = 10s;

std::optional<int> parse_number(std::string_view text, int min, int max) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || number < min || number > max) return std::nullopt;
  return number;
}

struct Url {
  std::string host;
  sockaddr_in address{};
  std::string path;
};

std::optional<Url> parse_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (!text.starts_with(scheme)) return std::nullopt;
  text.remove_prefix(scheme.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  Url url;
  url.host = text.substr(0, slash);
  url.path = slash < text.size() ? text.substr(slash) : "/";
  const std::size_t colon = std::min(url.host.find(':'), url.host.size());
  std::optional<int> port = 80;
  if (colon < url.host.size()) port = parse_number(url.host.substr(colon + 1), 1, 65535);
  const std::string name = url.host.substr(0, colon);
  const std::string number = name == "localhost" ? "127.0.0.1" : name;
  if (!port || inet_pton(AF_INET, number.c_str(), &url.address.sin_addr) != 1) return std::nullopt;
  url.address.sin_family = AF_INET;
  url.address.sin_port = htons(static_cast<std::uint16_t>(*port));
  return url;
}

struct Page {
  std::string path;
  int status = 0;
  std::size_t size = 0;
  std::vector<std::string> links;
  std::string error;
};

// The path on the same server that `link` on the page `path` leads to, if it does.
std::optional<std::string> resolve(const std::string& path, std::string_view link) {
  link = link.substr(0, link.find_first_of("#?"));
  if (link.empty() || link.starts_with("//") || link.find(':') != link.npos) return std::nullopt;
  const auto folder = std::filesystem::path(path).parent_path();
  return (folder / link).lexically_normal().string();
}

void read_answer(std::string_view answer, Page& page) {
  const std::size_t head_size = answer.find("\r\n\r\n");
  if (!answer.starts_with("HTTP/1.") || head_size == std::string_view::npos) {
    throw std::runtime_error("the answer is not HTTP");
  }
  page.status = parse_number(answer.substr(9, 3), 100, 999).value_or(0);
  const std::string_view body = answer.substr(head_size + 4);
  page.size = body.size();
  if (page.status != 200) return;
  constexpr std::string_view mark = "href=\"";
  for (std::size_t at = body.find(mark); at < body.size(); at = body.find(mark, at)) {
    at += mark.size();
    const std::size_t end = std::min(body.find('"', at), body.size());
    if (auto link = resolve(page.path, body.substr(at, end - at))) {
      page.links.push_back(std::move(*link));
    }
  }
}

Task<std::string> get(const Url& site, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  Stream stream(Descriptor(fd, "socket"));
  co_await stream.connect(site.address);
  const std::string request = "GET " + path + " HTTP/1.0\r\nHost: " + site.host + "\r\n\r\n";
  co_await stream.write_all(request);
  std::string answer;
  std::array<char, 16384> chunk;
  while (const std::size_t count = co_await stream.read_some(chunk)) {
    answer.append(chunk.data(), count);
    if (answer.size() > answer_size_max) throw std::length_error("the answer is over 1 MiB");
  }
  co_return answer;
}

Task<Page> fetch(Limiter& limiter, const Url& site, std::string path) {
  Page page;
  page.path = std::move(path);
  try {
    const auto place = co_await limiter.enter();
    // From here on, so that waiting for its turn does not count.
    const auto deadline = drover::coro::Worker::current().now() + request_time_max;
    const std::string answer = co_await with_deadline(deadline, get(site, page.path));
    read_answer(answer, page);
  } catch (const std::exception& error) {
    page.error = error.what();
  }
  co_return page;
}

// Level by level: hands back how many pages there were, or nothing if the first one failed.
Task<std::size_t> crawl(const Url& site, Limiter::Options limits, int depth_max) {
  Limiter limiter(limits);
  std::set<std::string> seen{site.path};
  std::vector<std::string> level{site.path};
  std::size_t found = 0;
  for (int depth = 0; depth <= depth_max && !level.empty(); ++depth) {
    std::vector<Task<Page>> fetches;
    for (std::string& path : level) fetches.push_back(fetch(limiter, site, std::move(path)));
    const std::vector<Page> pages = co_await when_all(std::move(fetches));
    level.clear();
    for (const Page& page : pages) {
      if (page.error.empty()) {
        std::printf("%d  depth %d  %7zu bytes  %s\n", page.status, depth, page.size,
                    page.path.c_str());
        found += page.status == 200 ? 1U : 0U;
      } else {
        std::printf("---  depth %d  %s: %s\n", depth, page.path.c_str(), page.error.c_str());
      }
      for (const std::string& link : page.links) {
        if (seen.size() < pages_max && seen.insert(link).second) level.push_back(link);
      }
    }
  }
  co_return found;
}

}  // namespace

int main(int argc, char** argv) {
  const auto url = argc == 5 ? parse_url(argv[1]) : std::nullopt;
  const auto rate = argc == 5 ? parse_number(argv[2], 1, 1'000'000) : std::nullopt;
  const auto connections = argc == 5 ? parse_number(argv[3], 1, 10'000) : std::nullopt;
  const auto depth = argc == 5 ? parse_number(argv[4], 0, 1000) : std::nullopt;
  if (!url || !rate || !connections || !depth) {
    std::fprintf(stderr,
                 "expected http://ADDRESS[:PORT]/PATH with a numeric address, requests a second, "
                 "connections at once, and a depth, e.g. http://127.0.0.1:8000/ 20 4 3\n");
    return 2;
  }
  try {
    Limiter::Options limits;
    limits.concurrent = static_cast<std::size_t>(*connections);
    limits.rate.entries = *rate;
    drover::coro::Worker worker;
    const std::size_t found = drover::coro::block_on(worker, crawl(*url, limits, *depth));
    std::printf("%zu pages\n", found);
    return found > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rate_limited_crawler: %s\n", error.what());
    return 1;
  }
}
