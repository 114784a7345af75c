// The values of expressions. All values and messages of the tables are those of pgbench 15.18,
// which debug() shows, except where a comment names a difference.
#include "workload/sql/expression/expression.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drover::sql {
namespace {

struct Expected {
  const char* expression;
  const char* result;
};

// Returns "int 5", or the message of the error.
std::string outcome(const std::string& text) {
  const Source source("test", text);
  VariableNames names;
  random::Rng rng(1);
  try {
    const ParsedExpression parsed = parse_expression(source, 0, names);
    Variables variables(names);
    set_builtin_variables({.default_seed = 5432, .scale = 10}, variables);
    EvaluationContext context{variables, rng};
    return described(evaluate(parsed.expression, context));
  } catch (const ScriptError& error) {
    return error.message();
  } catch (const EvaluationError& error) {
    return error.what();
  }
}

constexpr Expected results[] = {
    {"1", "int 1"},
    {"-1", "int -1"},
    {"9223372036854775807", "int 9223372036854775807"},
    {"-9223372036854775808", "int -9223372036854775808"},
    {"- 9223372036854775808", "int -9223372036854775808"},
    {"1.5e308 * 10", "double Infinity"},
    {".5", "double 0.5"},
    {"5.", "double 5"},
    {"1.e3", "double 1000"},
    {"007", "int 7"},
    {"null", "null"},
    {"TRUE", "boolean true"},
    {"falSE", "boolean false"},
    {"1 + 2 * 3", "int 7"},
    {"7 / 2", "int 3"},
    {"-7 / 2", "int -3"},
    {"-7 % 3", "int -1"},
    {"7 % -3", "int 1"},
    {"mod(-7, 3)", "int -1"},
    {"-7.5 % 3", "int -2"},
    {"7.5 % 2", "int 0"},
    {"5.5 % 3", "int 0"},
    {"6.5 % 4", "int 2"},
    {"-9223372036854775808 % -1", "int 0"},
    {"1.0 / 0", "double Infinity"},
    {"-1.0 / 0", "double -Infinity"},
    {"0.0 / 0", "double NaN"},
    {"7.0 / 2", "double 3.5"},
    {"7 / 2.0", "double 3.5"},
    {"1 < 2", "boolean true"},
    {"1 < 2.0", "boolean true"},
    {"2 >= 2", "boolean true"},
    {"2 <> 3", "boolean true"},
    {"2 != 2", "boolean false"},
    {"2 = 2.0", "boolean true"},
    {"not true", "boolean false"},
    {"not null", "null"},
    {"not not true", "boolean true"},
    {"true and null", "null"},
    {"null and false", "null"},
    {"null and true", "null"},
    {"null or true", "null"},
    {"null or false", "null"},
    {"false or null", "null"},
    {"false and 1", "boolean false"},
    {"true or 1", "boolean true"},
    {"null and 1", "null"},
    {"null or 1", "null"},
    {"0 is null", "boolean false"},
    {"null is null", "boolean true"},
    {"null isnull", "boolean true"},
    {"null notnull", "boolean false"},
    {"1 notnull", "boolean true"},
    {"1 is not null", "boolean true"},
    {"true is true", "boolean true"},
    {"1 is true", "boolean false"},
    {"0 is false", "boolean false"},
    {"null is true", "boolean false"},
    {"null is not true", "boolean true"},
    {"false is not true", "boolean true"},
    {"1 is null is null", "boolean false"},
    {"1 = 1 is true", "boolean true"},
    {"not 1 = 2", "boolean true"},
    {"not null is null", "boolean false"},
    {"~5", "int -6"},
    {"~5 + 1", "int -7"},
    {"-5 + ~1", "int -7"},
    {"1 | 2 & 3", "int 3"},
    {"1 # 3 & 1", "int 0"},
    {"3 & 1 # 1", "int 0"},
    {"1 << 2 + 1", "int 8"},
    {"1 << 63", "int -9223372036854775808"},
    {"1 << 64", "int 1"},
    {"1 << -1", "int -9223372036854775808"},
    {"-8 >> 1", "int -4"},
    {"-1 >> 63", "int -1"},
    {"1.5 | 2", "int 2"},
    {"2.5 & 7", "int 2"},
    {"1 + 2 << 3", "int 24"},
    {"2 * 3 % 4", "int 2"},
    {"- 2 * 3", "int -6"},
    {"- -2", "int 2"},
    {"+ 2", "int 2"},
    {"+ - + 2", "int -2"},
    {"+true", "boolean true"},
    {"+null", "null"},
    {"-null", "null"},
    {"-0.0", "double 0"},
    {"1 - - 1", "int 2"},
    {"case when true then 1 else 2 end", "int 1"},
    {"case when 0 then 1 end", "null"},
    {"case when null then 1 else 2 end", "int 2"},
    {"case when 0.0 then 1 when 0.1 then 2 end", "int 2"},
    {"case when 1 = 0 then 1/0 else 5 end", "int 5"},
    {"case when true then 1 else 1/0 end", "int 1"},
    {"abs(-5)", "int 5"},
    {"abs(-5.5)", "double 5.5"},
    {"abs(-9223372036854775808)", "int -9223372036854775808"},
    {"abs(null)", "null"},
    {"double(5)", "double 5"},
    {"double(5432)", "double 5432"},
    {"double(null)", "null"},
    {"int(5.4)", "int 5"},
    {"int(5.5)", "int 6"},
    {"int(6.5)", "int 6"},
    {"int(-0.5)", "int 0"},
    {"exp(1)", "double 2.71828182845905"},
    {"exp(1000)", "double Infinity"},
    {"ln(10)", "double 2.30258509299405"},
    {"ln(0)", "double -Infinity"},
    {"ln(-1)", "double NaN"},
    {"sqrt(2)", "double 1.4142135623731"},
    {"sqrt(-1)", "double NaN"},
    {"sqrt(4)", "double 2"},
    {"pi()", "double 3.14159265358979"},
    {"power(2,10)", "double 1024"},
    {"pow(2.0,-1)", "double 0.5"},
    {"pow(2,0.5)", "double 1.4142135623731"},
    {"power(-8, 1.0/3)", "double NaN"},
    {"pow(0,-1)", "double Infinity"},
    {"greatest(1,2,3)", "int 3"},
    {"greatest(1,2.5,2)", "double 2.5"},
    {"least(5,4.5)", "double 4.5"},
    {"least(1)", "int 1"},
    {"least(3,2,1)", "int 1"},
    {"greatest(null,1)", "null"},
    {"greatest(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)", "int 16"},
    {"greatest(0.0/0, 1)", "double 1"},
    {"greatest(1, 0.0/0)", "double NaN"},
    {"least(0.0/0, 1)", "double 1"},
    {"debug(debug(3))", "int 3"},
    {"debug(null) is null", "boolean true"},
    {"debug(1.5)", "double 1.5"},
    {"debug(1e100)", "double 1e+100"},
    {"debug(1e15)", "double 1e+15"},
    {"debug(123456789.123456789)", "double 123456789.123457"},
    {"debug(1/3.0)", "double 0.333333333333333"},
    {"debug(1e-5)", "double 1e-05"},
    {"1e15", "double 1e+15"},
    {"1e14", "double 100000000000000"},
    {"100000.0", "double 100000"},
    {"random(1,1)", "int 1"},
    {"random(1.4, 1.4)", "int 1"},
    {"random(1.5, 1.5)", "int 2"},
    {"random(null,1)", "null"},
    {"random_gaussian(1,1,2.0)", "int 1"},
    {"random_gaussian(1,1,10)", "int 1"},
    {"random_exponential(1,1,5)", "int 1"},
    {"random_zipfian(1,1,1.001)", "int 1"},
    {"random_zipfian(1,1,1000)", "int 1"},
    {"hash(10, 5432)", "int -5817877081768721676"},
    {"hash_fnv1a(10, 5432)", "int -7793829335365542153"},
    {"hash_murmur2(10, 5432)", "int -5817877081768721676"},
    {"hash_fnv1a(0,0)", "int -6284781860667377211"},
    {"hash_murmur2(0,0)", "int 8217090173679840641"},
    {"hash_fnv1a(-1,-1)", "int 9116541788052886162"},
    {"hash_murmur2(-1,-1)", "int 1317380444104773032"},
    {"hash_fnv1a(1.5, 2)", "int -6284781860667377211"},
    {"hash_murmur2(9223372036854775807, -9223372036854775808)", "int -8969732497821252539"},
    {"hash(null)", "null"},
    {"hash(1, null)", "null"},
    {"permute(5,1,9)", "int 0"},
    {"permute(5,2,9)", "int 0"},
    {"permute(6,2,9)", "int 1"},
    {"permute(-5,100,42)", "int 25"},
    {"permute(null,2,3)", "null"},
    {"Random(1,1)", "int 1"},
    {"CASE WHEN 1 IS NULL THEN 2 ELSE NULL END", "null"},
    {"1 <= 2 and 2 <= 3", "boolean true"},
    {"1 > 2 or 3 > 2", "boolean true"},
    {"true and not false", "boolean true"},
    {"2 + 3 is null or true", "boolean true"},
    {"1 -- 2", "int 3"},
    {"1 --2", "int 3"},
    {"((((((1))))))", "int 1"},
    {"null and (1/0 = 1)", "null"},
    {"null or (1/0 = 1)", "null"},
    {"false and (1/0 = 1)", "boolean false"},
    {"true or (1/0 = 1)", "boolean true"},
    {"1 is null and 2 is not null", "boolean false"},
    {"- 1 is null", "boolean false"},
    {"1 + 2 = 3 and not 4 = 5", "boolean true"},
    {"2 - 3 - 4", "int -5"},
    {"100 / 10 / 5", "int 2"},
    {"1 - 2 + 3", "int 2"},
    {"7 % 4 * 2", "int 6"},
    {"1 = 1 and 1 = 2 or 1 = 1", "boolean true"},
    {"not true or true", "boolean true"},
    {"not false and false", "boolean false"},
    {"1 < 2 is true", "boolean true"},
    {"~1 = -2", "boolean true"},
    {"~ 1 << 1", "int -4"},
    {"-1 << 1", "int -2"},
    {"not 1 < 2", "boolean false"},
    {"random_exponential(1, 10, null)", "null"},
    {"1e3 = 1000", "boolean true"},
    {"0.1 + 0.2 = 0.3", "boolean false"},
    {"0.1 + 0.2", "double 0.3"},
    {"9223372036854775807 + 0.0", "double 9.22337203685478e+18"},
    {"9223372036854775807 + 1.0", "double 9.22337203685478e+18"},
    {"int(9.2233720368547748e18)", "int 9223372036854774784"},
    {"int(-9223372036854775808.0)", "int -9223372036854775808"},
    {"ln(exp(2.5))", "double 2.5"},
    {"exp(0)", "double 1"},
    {"exp(null)", "null"},
    {"ln(0.5)", "double -0.693147180559945"},
    {"ln(2)", "double 0.693147180559945"},
    {"exp(-1)", "double 0.367879441171442"},
    {"exp(0.5)", "double 1.64872127070013"},
    {"sqrt(0.25)", "double 0.5"},
    {"sqrt(3)", "double 1.73205080756888"},
    {"pow(-2, 3)", "double -8"},
    {"pow(0, 0)", "double 1"},
    {"pow(9, 0.5)", "double 3"},
    {"power(2.5, 2)", "double 6.25"},
    {"least(-1, -2.5, 0)", "double -2.5"},
    {"abs(9223372036854775807)", "int 9223372036854775807"},
    {"abs(-0.0)", "double 0"},
    {"double(1.5)", "double 1.5"},
    {"double(9223372036854775807)", "double 9.22337203685478e+18"},
    {"int(-5.5)", "int -6"},
    {"int(0.49999999999999994)", "int 0"},
    {"int(null)", "null"},
    {"debug(true)", "boolean true"},
    {"debug(false and null)", "boolean false"},
    {"CASE WHEN FALSE THEN 1 WHEN TRUE THEN CASE WHEN NULL THEN 2 ELSE 3 END END", "int 3"},
    {"case when 1 then 2.5 else true end", "double 2.5"},
    {"case when false then 1 else null end is null", "boolean true"},
    {"mod(5.5, 2)", "int 0"},
    {"mod(9223372036854775807, 10)", "int 7"},
    {"1=1.0", "boolean true"},
    {"1 <> 1.5", "boolean true"},
    {"1.5 >= 1.5", "boolean true"},
    {"2 <= 1", "boolean false"},
    {"2 > 1.5", "boolean true"},
    {"NULL = NULL", "null"},
    {"NULL < 1", "null"},
    {"NULL + 1", "null"},
    {"1 % NULL", "null"},
    {"~NULL", "null"},
    {"NULL << 1", "null"},
    {"8 >> 2", "int 2"},
    {"8 >> 64", "int 8"},
    {"1 << 62", "int 4611686018427387904"},
    {"5 # 5", "int 0"},
    {"-1 & 255", "int 255"},
    {"1.7 # 2.2", "int 0"},
    {"permute(7, 8, 3)", "int 4"},
    {"permute(100, 1000000, 42)", "int 687807"},
    {"permute(9223372036854775807, 9223372036854775807, -1)", "int 5807662871815975849"},
    {"permute(1, 9223372036854775807, 0)", "int 1409427443184838618"},
    {"permute(12345678901, 4611686018427387904, 77)", "int 557908699972972229"},
    {"permute(-17, 1000, 5)", "int 424"},
    {"permute(3, 3, 9223372036854775807)", "int 0"},
    {"permute(65535, 65536, 12)", "int 64196"},
    {"permute(65536, 65537, 13)", "int 15287"},
    {"permute(999, 5000000000, 1234567890123)", "int 3866697160"},
    {"permute(0, 7, 2021)", "int 2"},
    {"permute(1, 7, 2021)", "int 6"},
    {"permute(2, 7, 2021)", "int 3"},
    {"permute(3, 7, 2021)", "int 0"},
    {"permute(4, 7, 2021)", "int 1"},
    {"permute(5, 7, 2021)", "int 4"},
    {"permute(6, 7, 2021)", "int 5"},
    {"permute(0, 4, 5432)", "int 3"},
    {"permute(1, 4, 5432)", "int 2"},
    {"permute(2, 4, 5432)", "int 1"},
    {"permute(3, 4, 5432)", "int 0"},
    {"hash_fnv1a(1, 5432)", "int 3367747699472404892"},
    {"hash_murmur2(1, 5432)", "int 8409120883607651217"},
    {"hash_fnv1a(2, 5432)", "int -8382050153334378497"},
    {"hash_murmur2(2, 5432)", "int 1329143948480274456"},
    {"hash_fnv1a(100, 5432)", "int 8058895736653152153"},
    {"hash_murmur2(100, 5432)", "int 8112736005613909702"},
    {"hash_fnv1a(123456789012, 5432)", "int -2288512903428754868"},
    {"hash_murmur2(123456789012, 5432)", "int 7875112158494036014"},
    {"hash_fnv1a(-5, 5432)", "int -3327067142496394319"},
    {"hash_murmur2(-5, 5432)", "int 4526702141187223565"},
};

TEST(Expression, HasTheResultsOfPgbench) {
  for (const Expected& expected : results) {
    EXPECT_EQ(outcome(expected.expression), expected.result) << expected.expression;
  }
}

// Differences from pgbench: syntax errors contain more details, doubles in messages have 15 digits,
// and too many arguments are found when the script is read, with the name of the function.
constexpr Expected errors[] = {
    {"9223372036854775808", "bigint constant overflow (9223372036854775808)"},
    {"1 - -9223372036854775808", "bigint sub out of range"},
    {"99999999999999999999", "bigint constant overflow (99999999999999999999)"},
    {"1e400", "double constant overflow (1e400)"},
    {"1e-310", "double constant overflow (1e-310)"},
    {"0x10", "syntax error"},
    {"1_000", "syntax error"},
    {"-9223372036854775808 / -1", "bigint div out of range"},
    {"9223372036854775807 + 1", "bigint add out of range"},
    {"-9223372036854775808 - 1", "bigint sub out of range"},
    {"9223372036854775807 * 2", "bigint mul out of range"},
    {"1 / 0", "division by zero"},
    {"1 % 0", "division by zero"},
    {"true = true", "cannot coerce boolean to int"},
    {"true = 1", "cannot coerce boolean to int"},
    {"true + 1", "cannot coerce boolean to int"},
    {"not 1", "cannot coerce int to boolean"},
    {"1 and true", "cannot coerce int to boolean"},
    {"true and 1", "cannot coerce int to boolean"},
    {"1 or true", "cannot coerce int to boolean"},
    {"1 is null = false", "cannot coerce boolean to int"},
    {"1 < 2 < 3", "syntax error"},
    {"1 < 2 = true", "syntax error"},
    {"true | 1", "cannot coerce boolean to int"},
    {"-true", "cannot coerce boolean to int"},
    {"2 * not true", "cannot coerce boolean to int"},
    {"case 1 when 1 then 2 end", "syntax error"},
    {"case end", "syntax error"},
    {"case when 1 then 2 else 3 else 4 end", "syntax error"},
    {"double(true)", "cannot coerce boolean to double"},
    {"int(1e19)", "double to int overflow for 10000000000000000000.000000"},
    {"int(-9.3e18)", "double to int overflow for -9300000000000000000.000000"},
    {"int(0.0/0.0)", "double to int overflow for "},
    {"int(true)", "cannot coerce boolean to int"},
    {"pi(1)", "unexpected number of arguments (pi)"},
    {"least()", "at least one argument expected (least)"},
    {"least(true, 1)", "cannot coerce boolean to int"},
    {"greatest(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)",
     "too many function arguments, maximum is 16 (greatest)"},
    {"random(2,1)", "empty range given to random"},
    {"random(-9223372036854775808, 9223372036854775807)", "random range is too large"},
    {"random(-9223372036854775808, 0)", "random range is too large"},
    {"random(0, 9223372036854775807)", "random range is too large"},
    {"random(-9223372036854775808, -1)", "random range is too large"},
    {"random(1)", "unexpected number of arguments (random)"},
    {"random(true,1)", "cannot coerce boolean to int"},
    {"random_gaussian(1,1,1.9)", "gaussian parameter must be at least 2.000000 (not 1.900000)"},
    {"random_exponential(1,1,0)", "exponential parameter must be greater than zero (not 0.000000)"},
    {"random_exponential(1,1,-1)",
     "exponential parameter must be greater than zero (not -1.000000)"},
    {"random_zipfian(1,1,1.0)", "zipfian parameter must be in range [1.001, 1000] (not 1.000000)"},
    {"random_zipfian(1,1,1001)",
     "zipfian parameter must be in range [1.001, 1000] (not 1001.000000)"},
    {"random_gaussian(2,1,1)", "empty range given to random"},
    {"hash(10,1,2)", "unexpected number of arguments (hash)"},
    {"hash()", "unexpected number of arguments (hash)"},
    {"hash(true)", "cannot coerce boolean to int"},
    {"permute(0,0)", "permute size parameter must be greater than zero"},
    {"permute(1,0,0)", "permute size parameter must be greater than zero"},
    {"permute(1,-5,0)", "permute size parameter must be greater than zero"},
    {"permute(1)", "unexpected number of arguments (permute)"},
    {"permute(1,2,3,4)", "unexpected number of arguments (permute)"},
    {"nosuch(1)", "unexpected function name (nosuch)"},
    {"nosuch", "unexpected function name (nosuch)"},
    {":nosuch", "undefined variable \"nosuch\""},
    {"1 +", "syntax error"},
    {"(1", "syntax error"},
    {"1)", "syntax error"},
    {"1 2", "syntax error"},
    {")", "syntax error"},
    {"1 $ 2", "unexpected character ($)"},
    {"'a'", "unexpected character (')"},
    {"\"a\"", "unexpected character (\")"},
    {"\\a", "unexpected character (\\)"},
    {"-true", "cannot coerce boolean to int"},
    {"- - -9223372036854775807 - 1 - 1", "bigint sub out of range"},
    {"- -9223372036854775808", "bigint sub out of range"},
    {"-+9223372036854775808", "bigint constant overflow (9223372036854775808)"},
    {"a.b", "unexpected character (.)"},
    {"1=2=3", "syntax error"},
    {"1 ! 2", "unexpected character (!)"},
    {"! true", "unexpected character (!)"},
    {"1 == 1", "syntax error"},
    {"1 ; 2", "unexpected character (;)"},
    {"1 /* */", "syntax error"},
    {"1 is 1", "syntax error"},
    {"1 is not 1", "syntax error"},
    {"1 not null", "syntax error"},
    {"1 is not not null", "syntax error"},
    {"not", "syntax error"},
    {"case when (1/0 = 1) then 1 end", "division by zero"},
    {"1:scale", "syntax error"},
    {":1a", "invalid variable name (1a)"},
    {":scale:scale", "syntax error"},
    {":é", "undefined variable \"é\""},
    {"1 is null or 1", "cannot coerce int to boolean"},
    {"1.0 % 0", "division by zero"},
    {"random_gaussian(-9223372036854775808, 9223372036854775807, 3)", "random range is too large"},
    {"hash_fnv1a(1.0/0, 1)", "double to int overflow for inf"},
    {"int(9223372036854775807.0)", "double to int overflow for 9223372036854775808.000000"},
    {"greatest('a')", "unexpected character (')"},
};

TEST(Expression, RefusesWhatPgbenchRefuses) {
  for (const Expected& expected : errors) {
    EXPECT_TRUE(outcome(expected.expression).starts_with(expected.result))
        << expected.expression << ": " << outcome(expected.expression);
  }
}

// pgbench interprets the bytes of the boolean as a double.
TEST(Expression, RefusesTheMagnitudeOfABoolean) {
  EXPECT_EQ(outcome("abs(true)"), "cannot coerce boolean to int");
}

// pgbench accepts NaN as a parameter, and then does not end or leaves the range.
TEST(Expression, RefusesParametersThatAreNoNumbers) {
  EXPECT_TRUE(outcome("random_exponential(1, 9, 0.0/0)").starts_with("exponential parameter"));
  EXPECT_TRUE(outcome("random_gaussian(1, 9, 0.0/0)").starts_with("gaussian parameter"));
  EXPECT_TRUE(outcome("random_gaussian(1, 9, 1.0/0)").starts_with("gaussian parameter"));
  EXPECT_TRUE(outcome("random_zipfian(1, 9, 0.0/0)").starts_with("zipfian parameter"));
}

TEST(Expression, SeedsHashesByDefault) {
  EXPECT_EQ(outcome("hash(10)"), "int -5817877081768721676");
  EXPECT_EQ(outcome("hash_fnv1a(10)"), "int -7793829335365542153");
  EXPECT_EQ(outcome("permute(0, 4)"), "int 3");
  EXPECT_EQ(outcome(":default_seed"), "int 5432");
}

TEST(Expression, ContinuesOnTheNextLine) {
  EXPECT_EQ(outcome("1 + \\\n 2"), "int 3");
  EXPECT_EQ(outcome("1 + \\\r\n 2"), "int 3");
  EXPECT_EQ(outcome("1 + 2\n 3"), "int 3");
}

TEST(Expression, ProposesTheNearestFunction) {
  EXPECT_EQ(outcome("randon(1, 2)"), "unexpected function name (randon); did you mean random?");
}

TEST(Expression, PointsAtWhatIsWrong) {
  const Source source("file.sql", "x\n1 + é§ ? 2");
  VariableNames names;
  try {
    parse_expression(source, 2, names);
    FAIL();
  } catch (const ScriptError& error) {
    EXPECT_EQ(error.position(), (Position{2, 8}));
    EXPECT_STREQ(error.what(), "file.sql:2:8: unexpected character (?)\n  1 + é§ ? 2\n         ^");
  }
}

TEST(Expression, BoundsItsDepth) {
  const auto repeated = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  EXPECT_EQ(outcome("1" + repeated(" + 1", 100'000)), "int 100001");
  EXPECT_EQ(outcome(repeated("- ", 100'000) + "1"), "int 1");
  EXPECT_EQ(outcome(repeated("-+", 2'001) + "null"), "null");
  EXPECT_EQ(outcome(repeated("(", 500) + "1" + repeated(")", 500)), "int 1");
  EXPECT_EQ(outcome(repeated("1 + (", 500) + "1" + repeated(")", 500)), "int 501");
  EXPECT_EQ(outcome(repeated("not ", 500) + "true"), "boolean true");
  EXPECT_EQ(outcome(repeated("abs(", 500) + "1" + repeated(")", 500)), "int 1");
  EXPECT_EQ(outcome(repeated("case when true then ", 500) + "1" + repeated(" end", 500)), "int 1");
  EXPECT_EQ(outcome(repeated("false or 1 = 1 + 1 * (", 300) + "1" + repeated(")", 300)),
            "cannot coerce boolean to int");
  const std::string too_deep = "the expression has more than 500 levels";
  EXPECT_EQ(outcome(repeated("(", 501) + "1" + repeated(")", 501)), too_deep);
  EXPECT_EQ(outcome(repeated("not ", 501) + "true"), too_deep);
  EXPECT_EQ(outcome(repeated("abs(", 501) + "1" + repeated(")", 501)), too_deep);
  EXPECT_EQ(outcome(repeated("(", 100'000)), too_deep);
  EXPECT_EQ(outcome(repeated("not ", 100'000) + "true"), too_deep);
  EXPECT_EQ(outcome(repeated("least(1, 2, 3, ", 400)),
            "the expression is too large: at some point, more than 1024 operands are pending");
}

// AND, OR and CASE do not evaluate operands that do not matter.
TEST(Expression, HearsWhatDebugIsGiven) {
  const Source source("test", "debug(debug(1) + 1) = 3 and debug(7) = 7");
  VariableNames names;
  const ParsedExpression parsed = parse_expression(source, 0, names);
  Variables variables(names);
  random::Rng rng(1);
  std::vector<std::string> heard;
  EvaluationContext context{variables, rng,
                            [&](Value value) { heard.push_back(described(value)); }};
  EXPECT_EQ(described(evaluate(parsed.expression, context)), "boolean false");
  EXPECT_EQ(heard, (std::vector<std::string>{"int 1", "int 2"}));
}

}  // namespace
}  // namespace drover::sql
