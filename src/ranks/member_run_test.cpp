#include "ranks/member_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "file/atomic_file.h"

namespace drover::ranks {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PlaceOfPart : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "drover_place_of_part_test";
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Returns the error about a folder for parts, or an empty text if the part can be written.
  static std::string trouble_with(const fs::path& parts) {
    MemberWork work;
    work.run = "5f0e";
    work.rank = 2;
    work.parts = parts.native();
    try {
      check_place_of_part(work);
    } catch (const file::FileError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(PlaceOfPart, IsMadeAndLeftEmpty) {
  EXPECT_EQ(trouble_with(folder_ / "new" / "parts"), "");
  EXPECT_TRUE(fs::is_empty(folder_ / "new" / "parts"));
}

TEST_F(PlaceOfPart, ThatCannotBeMadeIsNamed) {
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THAT(trouble_with(folder_ / "file" / "parts"),
              HasSubstr("folder of --parts \"" + (folder_ / "file" / "parts").native() +
                        "\": cannot make it: "));
}

// A limit on the size of files stands in for a full disk.
TEST_F(PlaceOfPart, ThatIsFullIsNamed) {
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1'000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string trouble = trouble_with(folder_);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(trouble,
              HasSubstr("part of the result (--parts) \"" + (folder_ / "5f0e-rank2.json").native() +
                        "\": cannot write to it"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace drover::ranks
