#include "database/embedded/server_lease.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "database/embedded/server_error.h"
#include "file/file_descriptor.h"

namespace drover::database::embedded {
namespace {

void mark_on_demand(const Layout& layout) {
  const std::filesystem::path path = layout.on_demand();
  const file::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) throw system_failure(errno, "cannot make {}", path.string());
}

}  // namespace

ServerLease::ServerLease(std::unique_ptr<PrivateServer> server, std::unique_ptr<FileLock> use,
                         bool started_it)
    : server_(std::move(server)), use_(std::move(use)), started_it_(started_it) {}

ServerLease ServerLease::acquire(ServerOptions options) {
  auto server = std::make_unique<PrivateServer>(std::move(options));
  const FileLock held = server->lock();
  const bool was_running = server->status().running;
  // The mark comes first: killed between the two, we leave either a mark without a server, which
  // means nothing, or a server that its next user stops.
  if (!was_running) mark_on_demand(server->layout());
  server->start_under(held);
  auto use = std::make_unique<FileLock>(server->layout().use());
  // Never waits: it is held exclusively only under the lock that we hold.
  use->lock_shared();
  return ServerLease(std::move(server), std::move(use), !was_running);
}

ServerLease::~ServerLease() {
  try {
    release();
  } catch (const ServerError&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
}

void ServerLease::release() {
  if (!use_) return;
  const std::unique_ptr<FileLock> use = std::move(use_);
  const FileLock held = server_->lock();
  if (!use->try_lock_exclusive()) return;
  if (!std::filesystem::exists(server_->layout().on_demand())) return;
  server_->stop_under(held, StopMode::fast);
  std::filesystem::remove(server_->layout().on_demand());
}

}  // namespace drover::database::embedded
