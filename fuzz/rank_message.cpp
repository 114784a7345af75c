// What a process sends that says it is a rank: it becomes a message, and a message a second of a
// run, or neither; and what was taken is written as it was read. The input is what follows a
// frame's length: CBOR.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "fuzz.h"
#include "measure/histogram.h"
#include "ranks/link.h"
#include "ranks/live.h"

using namespace drover;
using ranks::Message;

namespace {

// By the link itself, from one end of a pair of sockets to the other.
std::optional<Message> received(const std::uint8_t* data, std::size_t size) {
  coro::Worker worker;
  std::array<int, 2> ends{};
  fuzz::require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0, "sockets");
  std::string frame = {static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                       static_cast<char>(size >> 8), static_cast<char>(size)};
  frame += fuzz::text_of(data, size);
  const bool written =
      write(ends[1], frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
  fuzz::require(written, "it fits into the socket");
  close(ends[1]);
  const auto receive = [&]() -> coro::Task<std::optional<Message>> {
    ranks::Link link{file::FileDescriptor(ends[0])};
    try {
      co_return co_await link.receive(ranks::first_message_bytes_max);
    } catch (const ranks::LinkError& error) {
      fuzz::require_message(error.what());
      co_return std::nullopt;
    }
  };
  return coro::block_on(worker, receive());
}

void try_histogram(const std::vector<std::uint8_t>& bytes) {
  const auto histogram = measure::histogram_of(bytes);
  if (!histogram) return;
  const auto again = measure::histogram_of(measure::histogram_bytes(*histogram));
  fuzz::require(again && again->buckets == histogram->buckets && again->max_ns == histogram->max_ns,
                "a histogram is written as it was read");
}

void try_second(const Message& message) {
  // Clocks that are far apart.
  const ranks::ClockDifference clock{.monotonic_ns = std::int64_t{1} << 60};
  try {
    const load::Snapshot snapshot = ranks::snapshot_in(message, clock);
    load::Snapshot sum;
    ranks::add_snapshot(snapshot, sum);
    ranks::add_snapshot(snapshot, sum);
    (void)ranks::live_message(sum);
  } catch (const ranks::LinkError& error) {
    fuzz::require_message(error.what());
  } catch (const nlohmann::json::exception&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > ranks::first_message_bytes_max) return 0;
  try_histogram({data, data + size});
  if (const std::optional<Message> message = received(data, size)) {
    fuzz::require(!ranks::kind_of(*message).empty(), "a message has a kind");
    try_second(*message);
  }
  return 0;
}
