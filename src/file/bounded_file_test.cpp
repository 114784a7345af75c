#include "file/bounded_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>

namespace drover::file {
namespace {

class BoundedFile : public testing::Test {
 protected:
  BoundedFile() {
    std::string name = testing::TempDir() + "/drover-bounded-file-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~BoundedFile() override { std::filesystem::remove_all(folder_); }

  std::string message(const std::filesystem::path& path, std::size_t bytes_max = 100) {
    try {
      read_bounded_file(path, bytes_max);
    } catch (const UnreadableFile& error) {
      return error.what();
    }
    return "(it was read)";
  }

  std::filesystem::path folder_;
};

TEST_F(BoundedFile, IsReadWholeUpToItsLimit) {
  const std::string text = std::string("a\0b\n", 4) + std::string(200'000, 'x');
  std::ofstream(folder_ / "file", std::ios::binary) << text;
  EXPECT_EQ(read_bounded_file(folder_ / "file", text.size()), text);
  EXPECT_EQ(message(folder_ / "file", text.size() - 1),
            "it is larger than 200003 bytes, the largest size that Drover reads");
  std::filesystem::create_symlink("file", folder_ / "link");
  EXPECT_EQ(read_bounded_file(folder_ / "link", text.size()), text);
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(read_bounded_file(folder_ / "empty", 0), "");
}

// Files of the kernel report size 0.
TEST_F(BoundedFile, TheSizeIsNotBelieved) {
  EXPECT_NE(read_bounded_file("/proc/self/status", 100'000), "");
  EXPECT_EQ(message("/proc/self/status", 10),
            "it is larger than 10 bytes, the largest size that Drover reads");
}

TEST_F(BoundedFile, PipesAndDevicesAreReadToTheirEnd) {
  const std::string text(50'000, 'x');
  for (int use = 0; use < 2; ++use) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string path = "/dev/fd/" + std::to_string(ends[0]);
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    if (use == 0) {
      EXPECT_EQ(message(path, text.size() - 1),
                "it is larger than 49999 bytes, the largest size that Drover reads");
    } else {
      EXPECT_EQ(read_bounded_file(path, text.size()), text);
      EXPECT_EQ(read_bounded_file(path, text.size()), text) << "it is kept";
    }
    close(ends[0]);
  }
  EXPECT_EQ(read_bounded_file("/dev/null", 0), "");
  EXPECT_EQ(message("/dev/zero"),
            "it is larger than 100 bytes, the largest size that Drover reads");
  read_in_place_of_files({});
}

TEST_F(BoundedFile, FoldersAreNotRead) {
  EXPECT_EQ(message(folder_), "it is a folder. Expected a file");
  EXPECT_EQ(message(folder_ / "missing"), "cannot read it: No such file or directory");
}

// A second process, without the file, reads the text that the first one has read.
TEST_F(BoundedFile, IsReadElsewhere) {
  const std::filesystem::path read = folder_ / "read";
  std::ofstream(read) << "SELECT 1;";
  remember_files();
  read_bounded_file(read, 100);
  std::map<std::string, std::string> files = remembered_files();
  EXPECT_EQ(files, (std::map<std::string, std::string>{{read.native(), "SELECT 1;"}}));
  std::filesystem::remove(read);
  read_in_place_of_files(files);
  EXPECT_EQ(read_bounded_file(read, 9), "SELECT 1;");
  EXPECT_EQ(message(read, 8), "it is larger than 8 bytes, the largest size that Drover reads");
  read_in_place_of_files({});
  EXPECT_EQ(message(read), "cannot read it: No such file or directory");
}

// Files of one host are not remembered.
TEST_F(BoundedFile, FilesOfOneHostAreReadThere) {
  const std::filesystem::path token = folder_ / "token";
  std::ofstream(token) << "secret";
  remember_files();
  read_up_to(token, 100);
  text_or_nothing("/proc/self/status");
  for (const auto& [path, text] : remembered_files()) {
    EXPECT_NE(path, token.native());
    EXPECT_FALSE(path.starts_with("/proc")) << path;
  }
  read_in_place_of_files({{token.native(), "of another host"}});
  EXPECT_EQ(read_up_to(token, 100), "secret");
  EXPECT_EQ(text_or_nothing(token), "secret");
  read_in_place_of_files({});
}

TEST_F(BoundedFile, SaysThatTheStandardInputIsClosed) {
  const int before = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  EXPECT_EQ(message("-"), "the standard input is closed");
  ASSERT_EQ(open("/dev/null", O_WRONLY), STDIN_FILENO);
  for (const char* name : {"-", "/dev/stdin"}) {
    EXPECT_EQ(message(name), "the standard input is closed") << name;
  }
  dup2(before, STDIN_FILENO);
  close(before);
}

}  // namespace
}  // namespace drover::file
