#include "file/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "file/file_descriptor.h"

namespace drover::file {

namespace {

namespace fs = std::filesystem;

const char* advice(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ". Create the folder first, or name another file";
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
      return ". Name a file in a folder in which you may write";
    case EFBIG:
      return ". Raise the limit of this process on the size of files (ulimit -f)";
    case ENOSPC:
    case EDQUOT:
      return ". Free some space, or name a file on another disk";
    default:
      return "";
  }
}

// Temporary file, which is removed unless keep_as() renames it.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path, const WantedFile& asked_for) : path_(std::move(path)) {
    unlink(path_.c_str());  // left by a killed process with the same number
    file_.reset(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_) throw FileError(asked_for, "create it", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!kept_) unlink(path_.c_str());
  }

  int descriptor() const { return file_.get(); }

  void keep_as(const fs::path& target, const WantedFile& asked_for) {
    if (close(file_.release()) != 0) throw FileError(asked_for, "close it", errno);
    if (rename(path_.c_str(), target.c_str()) != 0) {
      throw FileError(asked_for, "put it in its place", errno);
    }
    kept_ = true;
  }

 private:
  fs::path path_;
  FileDescriptor file_;
  bool kept_ = false;
};

// Follows symbolic links, so that they stay and the file behind them is replaced.
fs::path resolved(const fs::path& path) {
  std::error_code ignored;
  fs::path target = fs::weakly_canonical(path, ignored);
  return ignored || target.empty() ? path : target;
}

bool is_written_in_place(const fs::path& path) {
  if (path.lexically_normal().native().starts_with("/dev/")) return true;
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

fs::path temporary_name(const fs::path& target) {
  return target.parent_path() /
         fmt::format("{}.tmp-{}", target.filename().native(), static_cast<long>(getpid()));
}

void write_all(int descriptor, std::string_view text, const WantedFile& asked_for) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw FileError(asked_for, "write to it", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_in_place(const WantedFile& wanted, std::string_view text) {
  const FileDescriptor file(open(wanted.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) throw FileError(wanted, "open it", errno);
  write_all(file.get(), text, wanted);
}

// Makes the new name durable. Ignores failures, because some file systems cannot sync a folder and
// the file is complete.
void sync_folder_of(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const FileDescriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) fsync(descriptor.get());
}

void require_no_folder(const WantedFile& wanted) {
  struct stat status{};
  if (stat(wanted.path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw FileError(wanted, "write to it", EISDIR);
  }
  if (!wanted.path.has_filename()) throw FileError(wanted, "write to it", ENOENT);
}

}  // namespace

FileError::FileError(const WantedFile& file, const std::string& step, int number)
    : std::runtime_error(fmt::format("{} \"{}\": cannot {}: {}{}", file.kind, file.path.native(),
                                     step, std::generic_category().message(number),
                                     advice(number))),
      path(file.path),
      error_number(number) {}

void write_atomically(const WantedFile& wanted, std::string_view text) {
  require_no_folder(wanted);
  if (is_written_in_place(wanted.path)) return write_in_place(wanted, text);
  const fs::path target = resolved(wanted.path);
  TemporaryFile file(temporary_name(target), wanted);
  write_all(file.descriptor(), text, wanted);
  if (fsync(file.descriptor()) != 0) throw FileError(wanted, "sync it to the disk", errno);
  file.keep_as(target, wanted);
  sync_folder_of(target);
}

void check_can_write(const WantedFile& wanted) {
  require_no_folder(wanted);
  if (is_written_in_place(wanted.path)) {
    // Does not open it, because opening a pipe waits for its reader.
    if (access(wanted.path.c_str(), W_OK) != 0) throw FileError(wanted, "open it", errno);
    return;
  }
  const TemporaryFile file(temporary_name(resolved(wanted.path)), wanted);
  write_all(file.descriptor(), std::string(room_checked, ' '), wanted);
  if (fsync(file.descriptor()) != 0) throw FileError(wanted, "sync it to the disk", errno);
}

}  // namespace drover::file
