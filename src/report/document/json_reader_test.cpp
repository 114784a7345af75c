#include "report/document/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace drover::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(
    std::string_view text, const std::function<void(JsonReader&)>& read = [](JsonReader& json) {
      json.skip();
      json.finish();
    }) {
  try {
    JsonReader json(text);
    read(json);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "(it was read)";
}

TEST(JsonReader, ReadsWhatIsAskedFor) {
  JsonReader json(R"( {"a": [1, -2, 3.5e1], "b": "x", "c": true, "d": null, "e": {"f": [[]]}} )");
  std::vector<double> numbers;
  std::string text;
  bool truth = false;
  bool nothing = false;
  json.object([&](std::string_view key) {
    if (key == "a") {
      json.array([&](std::size_t) { numbers.push_back(json.number(-10, 100)); });
    } else if (key == "b") {
      text = json.text(1);
    } else if (key == "c") {
      truth = json.boolean();
    } else if (key == "d") {
      nothing = json.null();
    } else {
      json.skip();
    }
  });
  json.finish();
  EXPECT_THAT(numbers, ElementsAre(1, -2, 35));
  EXPECT_EQ(text, "x");
  EXPECT_TRUE(truth);
  EXPECT_TRUE(nothing);
}

TEST(JsonReader, Texts) {
  const auto read = [](std::string_view written) { return JsonReader(written).text(100); };
  EXPECT_EQ(read(R"("a\"\\\/\b\f\n\r\t")"), "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(read(R"("\u00f6\ud83d\udc11")"), "\xc3\xb6\xf0\x9f\x90\x91");
  EXPECT_EQ(read(R"("\u0000")"), std::string(1, '\0'));
  for (const char* written :
       {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")", R"("\udc11")", R"("\q")", R"("\u12g4")",
        "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\n\""}) {
    EXPECT_THAT(error_of(written), HasSubstr("not valid JSON")) << written;
  }
  EXPECT_THAT(error_of("\"abc\"", [](JsonReader& json) { json.text(2); }),
              HasSubstr("expected a text of at most 2 bytes, found one of 3"));
}

TEST(JsonReader, WholeNumbersAtTheirBounds) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(JsonReader("-9223372036854775808").whole_number(least, most), least);
  EXPECT_EQ(JsonReader("9223372036854775807").whole_number(least, most), most);
  EXPECT_EQ(JsonReader("18446744073709551615").whole_number(~std::uint64_t{0}), ~std::uint64_t{0});
  for (const char* written : {"-1", "18446744073709551616", "1.0", "1e2", "\"1\"", "null", "[1]"}) {
    EXPECT_THAT(error_of(written, [](JsonReader& json) { json.whole_number(~std::uint64_t{0}); }),
                HasSubstr("expected a whole number from 0 to 18446744073709551615, found "))
        << written;
  }
}

TEST(JsonReader, EveryCutIsCalledOne) {
  const std::string text = R"({"a":[1.5,true,false,null,"x\u00f6\\"],"b":{"c":-1e+5}})";
  for (std::size_t length = 1; length < text.size(); ++length) {
    EXPECT_EQ(error_of(text.substr(0, length)),
              "the document ends too early, at byte " + std::to_string(length) +
                  ". It was truncated, or is still being written");
  }
  EXPECT_EQ(error_of(text), "(it was read)");
  EXPECT_THAT(error_of("\"\xe2\x82"), HasSubstr("ends too early"));  // within a character
}

TEST(JsonReader, ErrorsHaveTheirPlace) {
  const auto read = [](JsonReader& json) {
    json.object([&](std::string_view) {
      json.array([&](std::size_t) {
        json.object([&](std::string_view) { json.whole_number(std::uint64_t{9}); });
      });
    });
  };
  EXPECT_EQ(error_of(R"({"a":[{"b":1},{"b":1,"c":10}]})", read),
            "a[1].c: expected a whole number from 0 to 9, found 10 (byte 25)");
  EXPECT_EQ(error_of(R"({"a":[{"b":1},{"b" 1}]})", read),
            "the document is not valid JSON at byte 19, in a[1].b: expected a colon, found 1");
  EXPECT_EQ(error_of(R"({"a":[1]})", read), "a[0]: expected an object, found 1 (byte 6)");
}

}  // namespace
}  // namespace drover::report
