#include "report/document/result_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ResultFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "drover-result-XXXXXX").native();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  // The error that writing to the path ends with; 0 if it ends well.
  static int error_of(const fs::path& path) {
    try {
      write_result_file(path, example_result());
      return 0;
    } catch (const file::FileError& error) {
      EXPECT_EQ(error.path, path);
      EXPECT_THAT(error.what(), HasSubstr(path.native()));
      return error.error_number;
    }
  }

  fs::path folder_;
};

// Lets the process write files of so many bytes at most: a full disk at a point that we choose.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

// A part of a long run has 14,400 points, each with a histogram.
TEST_F(ResultFile, OfALongRunIsSmallEnoughToBeRead) {
  constexpr std::size_t points_of_a_long_run = 14'400;
  constexpr std::size_t points = 50;
  constexpr std::size_t octaves = 16;  // 100 us to 6.5 s
  Result result = example_result();
  const std::size_t without_points = document_text(to_json(result)).size();
  result.time_series.clear();
  for (std::size_t i = 0; i < points; ++i) {
    TimePoint& point = result.time_series.emplace_back();
    point.t = 400'000 + 64.003 * static_cast<double>(i);
    point.phase = "measure";
    point.ok.assign(result.transactions.size(), 1'000'000);
    measure::HistogramSnapshot latency;
    for (std::size_t k = 0; k < octaves * measure::sub_buckets_per_octave; ++k) {
      const std::size_t bucket = measure::bucket_index(100'000) + k;
      for (int n = 0; n < 10; ++n) latency.record(measure::bucket_middle_ns(bucket));
    }
    point.latency = latency.to_sparse();
    for (auto& [bucket, count] : point.latency.buckets) count = 123'456;
  }
  const std::size_t bytes = document_text(to_json(result)).size() - without_points;
  EXPECT_LT(bytes / points * points_of_a_long_run, result_bytes_max);
}

TEST_F(ResultFile, HoldsTheDocumentAndNothingIsLeftBesideIt) {
  const fs::path path = folder_ / "result.json";
  write_result_file(path, example_result());
  EXPECT_EQ(nlohmann::json::parse(read(path)), to_json(example_result()));
  EXPECT_EQ(read(path).back(), '\n');
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ResultFile, ReplacesAnOlderOneAndALeftoverOfAKilledRun) {
  const fs::path path = folder_ / "result.json";
  write(path, "old");
  write(folder_ / ("result.json.tmp-" + std::to_string(getpid())), "half");
  write_result_file(path, example_result());
  EXPECT_EQ(nlohmann::json::parse(read(path))["schema_version"], 1);
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ResultFile, ObeysTheUmaskLikeEveryNewFile) {
  const mode_t old = umask(027);
  write_result_file(folder_ / "result.json", example_result());
  umask(old);
  struct stat status{};
  ASSERT_EQ(stat((folder_ / "result.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(ResultFile, ReplacesTheFileBehindALinkAndNotTheLink) {
  write(folder_ / "target.json", "old");
  fs::create_symlink("target.json", folder_ / "link.json");
  write_result_file(folder_ / "link.json", example_result());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "target.json"))["schema_version"], 1);
}

TEST_F(ResultFile, SaysWhatIsWrongWithTheFolder) {
  EXPECT_EQ(error_of(folder_ / "none" / "result.json"), ENOENT);
  write(folder_ / "file", "x");
  EXPECT_EQ(error_of(folder_ / "file" / "result.json"), ENOTDIR);
  EXPECT_EQ(error_of(folder_), EISDIR);
  EXPECT_EQ(error_of(""), ENOENT);
  EXPECT_EQ(files_in_folder(), 1u);
  try {
    write_result_file(folder_ / "none" / "result.json", example_result());
    FAIL();
  } catch (const file::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Create the folder first"));
  }
}

TEST_F(ResultFile, OfADiskThatFillsUpTheOldFileSurvives) {
  const fs::path path = folder_ / "result.json";
  write(path, "old");
  {
    const FileSizeLimit limit(100);
    EXPECT_EQ(error_of(path), EFBIG);
  }
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ResultFile, DevicesAreWrittenInPlace) {
  EXPECT_EQ(error_of("/dev/null"), 0);
  EXPECT_EQ(error_of("/dev/full"), ENOSPC);
  struct stat status{};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(ResultFile, CanBeCheckedBeforeTheRun) {
  file::check_can_write(result_file(folder_ / "result.json"));
  EXPECT_EQ(files_in_folder(), 0u);
  write(folder_ / "result.json", "old");
  file::check_can_write(result_file(folder_ / "result.json"));
  EXPECT_EQ(read(folder_ / "result.json"), "old");
  file::check_can_write(result_file("/dev/null"));
  EXPECT_THROW(file::check_can_write(result_file(folder_ / "none" / "result.json")),
               file::FileError);
  EXPECT_THROW(file::check_can_write(result_file(folder_)), file::FileError);
  {
    const FileSizeLimit limit(1'000);
    EXPECT_THROW(file::check_can_write(result_file(folder_ / "new.json")), file::FileError);
  }
  EXPECT_EQ(files_in_folder(), 1u);
}

}  // namespace
}  // namespace drover::report
