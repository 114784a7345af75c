#include "database/embedded/cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "database/embedded/file_descriptor.h"
#include "database/embedded/program.h"
#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_prefix = "data.new-";

void remove_unfinished(const Layout& layout) {
  for (const fs::directory_entry& entry : fs::directory_iterator(layout.base)) {
    if (!entry.path().filename().string().starts_with(unfinished_prefix)) continue;
    std::error_code error;
    fs::remove_all(entry.path(), error);
    if (error) {
      throw system_error(
          fmt::format("cannot remove {}, left by an initdb that was killed", entry.path().string()),
          error.value());
    }
  }
}

fs::path make_unfinished(const Layout& layout, const Account& account) {
  std::string folder = (layout.base / fmt::format("{}XXXXXX", unfinished_prefix)).string();
  if (::mkdtemp(folder.data()) == nullptr ||
      (account.uid != ::geteuid() && ::chown(folder.c_str(), account.uid, account.gid) != 0)) {
    throw system_error(fmt::format("cannot make a folder in {}", layout.base.string()), errno);
  }
  return folder;
}

void run_or_throw(const Program& program, std::string_view doing) {
  const ProgramResult result = run_to_end(program);
  if (result.succeeded()) return;
  throw ServerError(fmt::format("cannot {}: {} ended with {}; it said:\n{}", doing,
                                program.executable.string(), result.exit_code, result.output));
}

void run_initdb(const Installation& installation, const fs::path& folder, const Account& account,
                bool durable) {
  Program initdb{installation.program("initdb"),
                 {"--pgdata=" + folder.string(), "--username=drover", "--auth-local=trust",
                  "--auth-host=reject", "--locale=C", "--encoding=UTF8"},
                 account,
                 ""};
  // Before 18 there is no such option, and no checksums is the default.
  if (installation.major >= 18) initdb.arguments.emplace_back("--no-data-checksums");
  if (!durable) initdb.arguments.emplace_back("--no-sync");
  run_or_throw(initdb, "make the private server's data");
}

void make_database(const Installation& installation, const fs::path& folder, const Account& account,
                   bool durable) {
  Program single{installation.program("postgres"),
                 {"--single", "-D", folder.string(), "-c", "exit_on_error=on", "-c",
                  fmt::format("fsync={}", durable ? "on" : "off"), "postgres"},
                 account,
                 "CREATE DATABASE drover;\n"};
  run_or_throw(single, "make the database of the private server");
}

void include_our_configuration(const fs::path& folder) {
  const fs::path path = folder / "postgresql.conf";
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  // Relative to this file, so that the whole may be moved.
  constexpr std::string_view text = "\n# The settings of drover.\ninclude = '../drover.conf'\n";
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw system_error(fmt::format("cannot write {}", path.string()), errno);
  }
  if (::fsync(file.get()) != 0) {
    throw system_error(fmt::format("cannot write {}", path.string()), errno);
  }
}

void give_its_name(const fs::path& folder, const Layout& layout) {
  if (::rename(folder.c_str(), layout.data().c_str()) != 0) {
    throw system_error(
        fmt::format("cannot rename {} to {}", folder.string(), layout.data().string()), errno);
  }
  const FileDescriptor base(::open(layout.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (base) ::fsync(base.get());
}

}  // namespace

void ensure_cluster(const Installation& installation, const Layout& layout, const Account& account,
                    bool durable) {
  remove_unfinished(layout);
  if (fs::exists(layout.data())) {
    if (fs::exists(layout.data() / "PG_VERSION")) return;
    throw ServerError(fmt::format(
        "{} is there but holds no PostgreSQL data: move it away, and drover makes a new one",
        layout.data().string()));
  }
  const fs::path folder = make_unfinished(layout, account);
  try {
    run_initdb(installation, folder, account, durable);
    make_database(installation, folder, account, durable);
    include_our_configuration(folder);
    give_its_name(folder, layout);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
}

}  // namespace drover::database::embedded
