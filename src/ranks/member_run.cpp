#include "ranks/member_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "coro/event.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "file/atomic_file.h"
#include "ranks/live.h"
#include "report/document/result_json.h"
#include "report/merge/merge.h"

namespace drover::ranks {

using coro::Task;

namespace {

// Returns the default folder of parts (XDG Base Directory Specification).
std::filesystem::path state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::filesystem::path(state) / "drover" / "parts";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::filesystem::path(home) / ".local" / "state" / "drover" / "parts";
  }
  return std::filesystem::temp_directory_path();
}

// Creates the folder of the part and returns the path of the part.
std::filesystem::path place_of_part(const MemberWork& work) {
  const std::filesystem::path folder =
      work.parts.empty() ? state_folder() : std::filesystem::path(work.parts);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw file::FileError({folder, "folder of --parts"}, "make it", error.value());
  return folder / fmt::format("{}-rank{}.json", work.run, work.rank);
}

std::string write_part(const MemberWork& work, const report::Result& part) {
  const std::filesystem::path path = place_of_part(work);
  report::write_result_file(path, part);
  return path.native();
}

}  // namespace

void check_place_of_part(const MemberWork& work) {
  file::check_can_write({place_of_part(work), "part of the result (--parts)"});
}

Task<void> MemberRun::sessions_open() {
  member_.tell(message("open"));
  co_await member_.next("come_up").get();
}

Task<coro::Instant> MemberRun::terminals_up() {
  member_.tell(message("up"));
  const Message start = co_await member_.next("start").get();
  co_return coro::Instant(coro::Duration(start.at("at_ns").get<std::int64_t>()));
}

void MemberRun::on_started(coro::Duration) {
  started_ = true;
  member_.tell(message("begun"));
}

void MemberRun::on_snapshot(const load::Snapshot& snapshot) {
  member_.tell(live_message(snapshot));
}

void MemberRun::on_ended(bool) {
  member_.tell(message("over"));
}

// Sends notes only after the start, because earlier ones are the same on all hosts.
void MemberRun::on_note(std::string_view text) {
  if (!started_) return;
  Message note = message("note");
  note["text"] = text;
  member_.tell(std::move(note));
}

Task<void> MemberRun::attend(std::function<void()> stop) {
  coro::Worker& worker = coro::Worker::current();
  // Shared, because the post may arrive after this task has ended.
  const auto asked = std::make_shared<coro::Event>();
  member_.on_stop([&worker, asked] { worker.post([asked] { asked->set(); }); });
  try {
    co_await asked->wait();
    stop();
    co_await coro::sleep_until(coro::Instant::max());
  } catch (const coro::Cancelled&) {
    member_.on_stop({});
    member_.forget();
    throw;
  }
}

void MemberRun::deliver(report::Result part) {
  if (part.ranks.empty()) part.ranks.emplace_back();
  report::RankResult& own = part.ranks.front();
  own.rank = work_.rank;
  own.ranks = work_.ranks;
  own.run = work_.run;
  own.name = work_.name;
  report::complete_rank(part);
  std::string file;
  std::string trouble;
  try {
    // A run that did not begin has no figures.
    if (started_) file = write_part(work_, part);
    part.ranks.front().part = file;
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  Message delivery = message("part");
  delivery["text"] = report::to_json(part).dump(-1, ' ', false, Message::error_handler_t::replace);
  delivery["trouble"] = trouble;
  member_.tell(std::move(delivery));
  try {
    member_.wait_for("bye");
  } catch (const LinkError& error) {
    std::string kept;
    if (!file.empty()) {
      kept = fmt::format(
          ". This host's part of the result is in {}. Join the available parts with 'drover merge'",
          file);
    } else if (!trouble.empty()) {
      kept = ". This host's part of the result could not be kept: " + trouble;
    }
    throw LinkError(fmt::format("lost the coordinator: {}{}", error.what(), kept));
  }
}

}  // namespace drover::ranks
