#include "ranks/conductor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/utf8.h"

namespace drover::ranks {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;

namespace {

// The time for the first message of a connection.
constexpr Duration hello_timeout = std::chrono::seconds(10);
// Round trips of one clock comparison. On a slow network there are fewer, so that a comparison
// takes about one second.
constexpr int round_trips = 25;
constexpr int round_trips_least = 3;
constexpr Duration round_trips_last = std::chrono::seconds(1);
// The most hosts that one message names.
constexpr std::size_t named_most = 8;
// Agents may have given up after the coordinator stood still for this long.
constexpr Duration standstill_least = std::chrono::seconds(30);
// The time to wait for other hosts that fail for the same reason.
constexpr Duration other_losses_timeout = std::chrono::milliseconds(300);
// The least time without an acknowledgement by a rank's host after which the host is lost, even if
// silence_most is shorter.
constexpr Duration silence_of_host_least = std::chrono::seconds(20);

// Returns 128 random bits.
std::string new_secret() {
  std::random_device device;
  std::string secret;
  for (int i = 0; i < 4; ++i) secret += fmt::format("{:08x}", device());
  return secret;
}

// Compares in a time that does not depend on the position of a difference.
bool same(const std::string& one, const std::string& other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  }
  return difference == 0;
}

std::string text_in(const Message& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string()) return {};
  return text::shown(found->get<std::string>(), 200);
}

// Returns a text such as a database error on one line.
std::string sentence_in(const Message& message, const char* name) {
  constexpr std::size_t bytes_max = 2'000;
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string()) return {};
  std::string text = text::terminal_text(found->get<std::string>());
  std::ranges::replace(text, '\n', ' ');
  if (text.size() <= bytes_max) return text;
  const auto is_within_character = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
  };
  std::size_t end = bytes_max;
  while (is_within_character(text[end])) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

namespace {

ConductorSettings with_secret(ConductorSettings settings) {
  if (settings.secret.empty()) settings.secret = new_secret();
  return settings;
}

}  // namespace

Conductor::Conductor(ConductorSettings settings)
    : settings_(with_secret(std::move(settings))), listener_(settings_.listen) {
  for (const std::string& name : settings_.names) {
    peers_.push_back(std::make_unique<Peer>());
    peers_.back()->name = name;
  }
}

std::string Conductor::title(std::size_t rank) const {
  const std::string& name = peers_[rank]->name;
  return name.empty() ? fmt::format("agent {}", rank) : "host " + name;
}

void Conductor::throw_loss(std::size_t rank) const {
  throw RankLost(rank, fmt::format("{}: {}", title(rank), peers_[rank]->loss->reason));
}

Task<void> Conductor::throw_losses() const {
  co_await coro::sleep_for(other_losses_timeout);
  std::vector<std::pair<std::string, std::vector<std::size_t>>> reasons;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (!peers_[rank]->loss) continue;
    const std::string& reason = peers_[rank]->loss->reason;
    auto found = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
    if (found == reasons.end()) found = reasons.insert(found, {reason, {}});
    found->second.push_back(rank);
  }
  std::string text;
  for (const auto& [reason, ranks] : reasons) {
    std::string names = title(ranks.front());
    if (ranks.size() > 1 && names.starts_with("host ")) names.insert(4, "s");
    for (std::size_t i = 1; i < ranks.size() && i < named_most; ++i) {
      names += ", " + peers_[ranks[i]]->name;
    }
    if (ranks.size() > named_most) names += fmt::format(" and {} more", ranks.size() - named_most);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", names, reason);
  }
  throw RankLost(reasons.front().second.front(), text);
}

Task<void> Conductor::attend() {
  auto body = [this](Scope& scope) -> Task<void> {
    scope.start(watch());
    co_await accept(scope);
  };
  co_await coro::with_scope(body);
}

Task<void> Conductor::accept(Scope& scope) {
  for (;;) {
    file::FileDescriptor socket = co_await listener_.accept();
    scope.start(serve(std::move(socket)));
  }
}

std::string Conductor::refusal_of(const Message& hello) const {
  if (kind_of(hello) != "hello" || !same(text_in(hello, "secret"), secret())) {
    return "the agent has another secret than this run. Give the same secret on all hosts";
  }
  const std::size_t rank = rank_of(hello);
  if (rank >= peers_.size()) {
    return hello.contains("rank")
               ? fmt::format(
                     "the rank {} is too high, because the run has {} agents, counted from 0", rank,
                     peers_.size())
               : fmt::format("all {} agents of the run have already joined", peers_.size());
  }
  if (peers_[rank]->loss) return peers_[rank]->loss->reason;
  if (peers_[rank]->come.is_set())
    return fmt::format("an agent with the rank {} has already joined", rank);
  return {};
}

std::size_t Conductor::rank_of(const Message& hello) const {
  if (hello.contains("rank")) return hello.value("rank", peers_.size());
  const auto free = std::ranges::find_if(
      peers_, [](const std::unique_ptr<Peer>& peer) { return !peer->come.is_set(); });
  return static_cast<std::size_t>(free - peers_.begin());
}

std::string Conductor::unique_name(const std::string& host) const {
  std::string name = host;
  const auto is_taken = [this](const std::string& one) {
    return std::ranges::any_of(peers_, [&one](const auto& peer) { return peer->name == one; });
  };
  for (int time = 2; is_taken(name); ++time) name = fmt::format("{}#{}", host, time);
  return name;
}

Task<void> Conductor::serve(file::FileDescriptor socket) {
  try {
    Link link(std::move(socket));
    Message hello = co_await coro::with_deadline(Worker::current().now() + hello_timeout,
                                                 link.receive(first_message_bytes_max));
    std::string refusal = refusal_of(hello);
    std::size_t rank = 0;
    if (refusal.empty()) {
      rank = rank_of(hello);
      if (peers_[rank]->name.empty()) peers_[rank]->name = unique_name(text_in(hello, "host"));
      const std::string program = text_in(hello, "program");
      if (program != settings_.program) {
        refusal = fmt::format(
            "the host has {}, and the coordinator has {}. Install the same drover on all hosts",
            program, settings_.program);
        lose(rank, refusal);
      }
    }
    if (refusal.empty()) {
      co_await serve_rank(link, rank);
      co_return;
    }
    Message refused = message("refused");
    refused["reason"] = refusal;
    link.send(refused);
    ++refused_;
    co_await coro::with_deadline(Worker::current().now() + std::chrono::seconds(1),
                                 link.write_out());
  } catch (const std::exception&) {  // the connection did not belong to an agent
  }
}

Task<void> Conductor::serve_rank(Link& link, std::size_t rank) {
  Peer& peer = *peers_[rank];
  peer.link = &link;
  peer.heard = Worker::current().now();
  link.fail_after(std::max(silence_of_host_least, silence_most()));
  Message welcome = message("welcome");
  welcome["silence_ms"] = silence_most() / std::chrono::milliseconds(1);
  link.send(welcome);
  peer.come.set();
  std::string end;
  bool cancelled = false;
  try {
    auto body = [&](Scope& scope) -> Task<void> {
      scope.start(link.write_out());
      co_await read(link, rank);
    };
    co_await coro::with_scope(body);
  } catch (const LinkError& error) {
    end = error.what();
  } catch (const std::exception& error) {
    end = fmt::format("the host sent a message that cannot be read: {}", error.what());
  } catch (const coro::Cancelled&) {
    cancelled = true;
  }
  peer.link = nullptr;
  peer.gone.set();
  if (cancelled) throw coro::Cancelled{};
  if (!peer.released && !peer.has_said_all) lose(rank, loss_reason(end));
  // Wakes the tasks that wait for messages, since none will arrive.
  for (auto& [kind, slot] : peer.slots) slot.arrived.notify();
}

std::string Conductor::loss_reason(const std::string& end) const {
  const Instant now = Worker::current().now();
  const bool is_recent = now - last_watch_ < std::chrono::seconds(1);
  const Duration still = std::max(now - last_watch_, is_recent ? stood_still_ : Duration::zero());
  if (still < standstill_least) return end;
  return fmt::format("{}. Before that, the coordinator itself did not run for {:.0f} s", end,
                     coro::seconds_of(still));
}

Task<void> Conductor::read(Link& link, std::size_t rank) {
  Peer& peer = *peers_[rank];
  for (;;) {
    Message received = co_await link.receive();
    peer.heard = Worker::current().now();
    const std::string kind = kind_of(received);
    if (kind == "alive") continue;
    if (kind == "failed") {
      lose(rank, sentence_in(received, "reason"));
      continue;
    }
    if (const auto action = actions_.find(kind); action != actions_.end()) {
      action->second(rank, received);
      continue;
    }
    constexpr std::size_t kinds_most = 1'000;
    if (peer.slots.size() >= kinds_most)
      throw LinkError("the host sent too many unexpected messages");
    if (kind == "part" || kind == "done") peer.has_said_all = true;
    Slot& slot = peer.slots[kind];
    slot.messages.push_back(std::move(received));
    slot.arrived.notify();
  }
}

// Sends the ranks a sign of life, and declares silent ranks lost.
Task<void> Conductor::watch() {
  last_watch_ = Worker::current().now();
  for (;;) {
    co_await coro::sleep_for(alive_every);
    const Instant now = Worker::current().now();
    // After a standstill of this process, messages of the agents may be waiting.
    stood_still_ = now - last_watch_;
    const bool stood_still = stood_still_ > 2 * alive_every;
    last_watch_ = now;
    for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
      Peer& peer = *peers_[rank];
      if (peer.link == nullptr) continue;
      if (stood_still) peer.heard = now;
      if (now - peer.heard > silence_most() && !peer.released) {
        lose(rank,
             fmt::format("the host sent nothing for {:.0f} s", coro::seconds_of(silence_most())));
      }
    }
    tell_all(message("alive"));
  }
}

Task<void> Conductor::all_here() {
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    co_await peers_[rank]->come.wait();
    for (std::size_t other = 0; other < peers_.size(); ++other) {
      if (peers_[other]->loss) throw_loss(other);
    }
  }
}

void Conductor::tell(std::size_t rank, const Message& message) {
  if (Link* link = peers_[rank]->link; link != nullptr && !peers_[rank]->loss) link->send(message);
}

void Conductor::tell_all(const Message& message) {
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) tell(rank, message);
}

Task<Message> Conductor::next(std::size_t rank, std::string kind) {
  Peer& peer = *peers_[rank];
  Slot& slot = peer.slots[kind];
  while (slot.messages.empty()) {
    if (peer.loss) throw_loss(rank);
    if (peer.gone.is_set()) throw RankLost(rank, title(rank) + ": the connection was closed");
    co_await slot.arrived.wait();
  }
  Message first = std::move(slot.messages.front());
  slot.messages.erase(slot.messages.begin());
  co_return first;
}

void Conductor::on_message(std::vector<std::string> kinds,
                           std::function<void(std::size_t, const Message&)> action) {
  for (std::string& kind : kinds) actions_[std::move(kind)] = action;
}

bool Conductor::any_lost() const {
  return std::ranges::any_of(peers_, [](const auto& peer) { return peer->loss.has_value(); });
}

bool Conductor::all_have_come() const {
  return std::ranges::all_of(peers_, [](const auto& peer) { return peer->come.is_set(); });
}

void Conductor::lose(std::size_t rank, const std::string& reason) {
  Peer& peer = *peers_[rank];
  if (peer.loss || peer.released) return;
  if (peer.link != nullptr) {
    Message given_up = message("given_up");
    given_up["reason"] = reason;
    peer.link->send(given_up);
  }
  peer.loss = Loss{reason, Worker::current().now()};
  peer.come.set();
  for (auto& [kind, slot] : peer.slots) slot.arrived.notify();
  if (on_lost_) on_lost_(rank);
}

void Conductor::lose_missing(const std::string& reason) {
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (!peers_[rank]->come.is_set()) lose(rank, reason);
  }
}

Task<std::optional<ClockDifference>> Conductor::compare_clocks(std::size_t rank) {
  std::vector<RoundTrip> trips;
  const Instant start = Worker::current().now();
  for (int i = 0; i < round_trips; ++i) {
    if (i >= round_trips_least && Worker::current().now() - start > round_trips_last) break;
    RoundTrip trip;
    trip.asked = read_clocks();
    tell(rank, message("clock"));
    const Message answer = co_await next(rank, "clock");
    trip.answered = read_clocks();
    trip.theirs = {answer.at("monotonic_ns").get<std::int64_t>(),
                   answer.at("wall_ns").get<std::int64_t>()};
    trips.push_back(trip);
  }
  co_return difference(trips);
}

Task<void> Conductor::refuse_all(std::string reason, Duration timeout) {
  std::size_t expected = 0;
  for (std::size_t rank = 1; rank < peers_.size(); ++rank) {
    if (!peers_[rank]->come.is_set()) ++expected;
  }
  lose_missing(reason);
  const Instant end = Worker::current().now() + timeout;
  const auto wait = [&](Scope& scope) -> Task<void> {
    scope.start(attend());
    while (refused_ < expected && Worker::current().now() < end) {
      co_await coro::sleep_for(std::chrono::milliseconds(50));
    }
    // Time for the last refusal to be sent.
    if (expected > 0) co_await coro::sleep_for(std::chrono::milliseconds(50));
    scope.cancel();
  };
  co_await coro::with_scope(wait);
}

void Conductor::release(std::size_t rank) {
  Peer& peer = *peers_[rank];
  if (peer.released) return;
  tell(rank, message("bye"));
  peer.released = true;
}

Task<void> Conductor::all_gone(Duration timeout) {
  const auto wait = [this]() -> Task<void> {
    for (const auto& peer : peers_) {
      if (peer->link != nullptr && !peer->loss) co_await peer->gone.wait();
    }
  };
  try {
    co_await coro::with_deadline(Worker::current().now() + timeout, wait());
  } catch (const coro::DeadlineExceeded&) {
  }
}

}  // namespace drover::ranks
