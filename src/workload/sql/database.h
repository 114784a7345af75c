// A database as the commands of `drover sql` see it: what makes and drops the tables of the built-in scripts, and what
// a run has to know before it begins. One implementation for each kind of database.
//
// An object only says where the database is; every call opens what it needs and closes it again.
// Thread safety: the calls may be made on any worker; none changes the object. Tasks must not outlive it.
// Errors: database::UnfitSchema, whose message says what to do, and database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/activity_watch.h"
#include "database/backend.h"
#include "database/checkpoint_watch.h"
#include "database/isolation.h"
#include "database/server_facts.h"
#include "settings/run_settings.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

struct InitialiseSettings {
  std::int64_t scale = 1;  // branches, with 10 tellers and 100,000 accounts each
  bool force = false;      // drop tables that are there
  // Told how many branches have their accounts; may be empty.
  std::function<void(std::int64_t branches)> on_progress = {};
};

inline constexpr std::int64_t scale_max = 1'000'000;

// What the backend of one worker is made with.
struct BackendSettings {
  settings::RunSettings run = {};
  Protocol protocol = Protocol::simple;
  // Of YDB, which a script cannot tell otherwise: `serializable` or `snapshot`.
  database::Isolation isolation = database::Isolation::serializable;
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;  // as the server was found
  database::SessionUpkeep upkeep = {};                             // of PostgreSQL
  std::uint64_t seed = 0;
};

struct RunPreparation {
  database::ServerFacts server;
  std::optional<std::int64_t> branches;  // in pgbench_branches, if they were to be counted
};

class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual ~Database() = default;

  // The tables of the built-in scripts, filled as `pgbench -i` does. Returns the names of those that it dropped. Throws
  // UnfitSchema where there are such tables and they are not to be dropped.
  virtual coro::Task<std::vector<std::string>> initialise(InitialiseSettings settings) const = 0;

  // Drops these tables; returns the names of those that there were.
  virtual coro::Task<std::vector<std::string>> clean() const = 0;

  // `count_branches`: they are the scale of a run that has a built-in script, and was not told another one.
  virtual coro::Task<RunPreparation> prepare(bool count_branches) const = 0;

  // Throws Error, whose message says what to do, where the tables of the built-in scripts cannot be written to at the
  // isolation that BackendSettings have.
  virtual coro::Task<void> require_isolation(database::Isolation isolation) const = 0;

  virtual std::unique_ptr<database::Backend> make_backend(BackendSettings settings) const = 0;

  // `on_note` is called with lines for people. Null where there are no checkpoints to be seen.
  virtual std::unique_ptr<database::CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const = 0;

  // Likewise. Null where the server does not tell what its sessions do.
  virtual std::unique_ptr<database::ActivityWatch> watch_activity(
      std::function<void(std::string_view)> on_note) const {
    static_cast<void>(on_note);
    return nullptr;
  }
};

}  // namespace drover::sql
