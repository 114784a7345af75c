#include "cli/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "report/document/result_json.h"
#include "run/usage_error.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ResultFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "drover-files-XXXXXX").native();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string make(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "{}";
    return (folder_ / name).native();
  }
  static std::string refusal_of(const std::vector<std::string>& paths, std::size_t most = 100) {
    try {
      return fmt_count(find_result_files(paths, most).size());
    } catch (const UsageError& error) {
      return error.what();
    }
  }
  static std::string fmt_count(std::size_t count) { return std::to_string(count) + " files"; }

  fs::path folder_;
};

TEST_F(ResultFilesTest, AFolderStandsForItsResultsInTheOrderOfTheirNames) {
  const std::string b = make("b.json");
  const std::string a = make("a.json");
  make("notes.txt");
  make(".half-written.json");
  make("below/c.json");
  const std::string alone = make("below/alone.result");
  EXPECT_THAT(find_result_files({alone, folder_.native()}, 100), ElementsAre(alone, a, b));
}

TEST_F(ResultFilesTest, OtherDocumentsOfDroverAreSkippedAndAllUnreadableFilesAreNamed) {
  const auto write = [this](const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  };
  const fs::path result =
      write("run-01.json", report::document_text(report::to_json(report::Result())));
  const fs::path record = write("search.json", R"({"document": "drover search", "runs": []})");
  const fs::path lab = write("z-lab.json", R"({"experiment": "queues", "schema_version": 1})");
  std::vector<fs::path> read;
  const auto on_result = [&read](const fs::path& file, report::Result) { read.push_back(file); };
  require_result_files({result, record, lab}, on_result);
  EXPECT_THAT(read, ElementsAre(result));
  const auto unread = read_result_files({record, lab}, on_result);
  ASSERT_EQ(unread.size(), 2u);
  EXPECT_TRUE(unread[0].is_other_document && unread[1].is_other_document);
  EXPECT_THAT(
      unread[0].reason,
      HasSubstr("search.json\" is not the result of a run but a document of 'drover search'"));
  EXPECT_THAT(unread[1].reason, HasSubstr("'drover lab queues'"));

  const fs::path cut = write("cut.json", "{");
  const fs::path other = write("other.json", R"({"document": "menu"})");
  try {
    require_result_files({cut, result, record, other}, on_result);
    ADD_FAILURE() << "they were read";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("cut.json"), HasSubstr("other.json"),
                                             testing::Not(HasSubstr("search.json"))));
  }
  EXPECT_THROW(require_result_files({record}, on_result), std::runtime_error);
}

TEST_F(ResultFilesTest, WhatCannotBeMeantIsRefused) {
  const std::string a = make("a.json");
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(refusal_of({"/nowhere/x.json"}),
              HasSubstr("the file or folder \"/nowhere/x.json\" does not exist"));
  EXPECT_THAT(refusal_of({(folder_ / "empty").native()}), HasSubstr("has no *.json"));
  EXPECT_THAT(refusal_of({a, folder_.native()}), HasSubstr("is named twice"));
  EXPECT_THAT(refusal_of({a, (folder_ / "empty/../a.json").native()}), HasSubstr("named twice"));
  fs::create_symlink(a, folder_ / "link.json");
  EXPECT_THAT(refusal_of({folder_.native()}), HasSubstr("named twice"));
  EXPECT_THAT(refusal_of({a, make("b.json")}, 1), HasSubstr("2 results are given"));
}

}  // namespace
}  // namespace drover::cli
