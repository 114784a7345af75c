#include "report/html_report.h"

#include <fmt/format.h>

#include <cassert>

#include "report/html_charts.h"
#include "report/html_comparison.h"
#include "report/html_details.h"
#include "report/html_figures.h"
#include "report/html_style.h"
#include "report/html_table.h"
#include "report/html_verdict.h"

namespace drover::report {

namespace {

constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

std::string page_title(const std::vector<NamedResult>& results) {
  if (results.size() == 1) return title_of(results[0].result) + " – Drover";
  return fmt::format("{} results compared – Drover", results.size());
}

void write_head(HtmlWriter& html, const std::string& title, const Introduction* introduction) {
  const auto head = html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.leaf("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  // Without it a browser may look for one.
  html.leaf("link", {{"rel", "icon"}, {"href", "data:,"}});
  html.line("title", title);
  html.style_sheet(report_style);
  if (introduction != nullptr) html.style_sheet(introduction->style);
}

struct Link {
  const char* to;
  const char* text;
};

void write_navigation(HtmlWriter& html, std::initializer_list<Link> links) {
  const auto navigation = html.open("nav", {{"aria-label", "Parts of the report"}});
  for (const Link& link : links) html.line("a", {{"href", link.to}}, link.text);
}

// What a result has on its own, below its verdict.
void write_parts(HtmlWriter& html, const Result& result, const std::string& id, int level) {
  write_time_chart(html, result, id, level);
  write_spectrum_chart(html, result, id, level);
  const auto anchored = [&](const char* name, const auto& write) {
    const auto part = html.open("div", {{"id", id + "-" + name}});
    write(html, result, level);
  };
  anchored("transactions", write_transactions);
  write_errors(html, result, level);
  anchored("availability", write_availability);
  anchored("audit", write_audit);
  anchored("client", write_client);
  write_ledger(html, result, level);
  anchored("plan", write_plan);
  write_environment(html, result, level);
}

std::string subtitle_of(const Result& result) {
  const std::string& host = result.environment.client.hostname;
  return fmt::format("Measured for {} from {}{}{}", length_text(result.summary.time_seconds),
                     moment_text(result.summary.measure_start_ts), host.empty() ? "" : ", client ",
                     shortened(host, 100));
}

void write_single(HtmlWriter& html, const NamedResult& one, const Introduction* introduction) {
  {
    const auto header = html.open("header");
    html.line("h1", introduction != nullptr ? introduction->title : title_of(one.result));
    if (introduction != nullptr) html.line("p", {{"class", "lead"}}, title_of(one.result));
    html.line("p", {{"class", "lead"}}, subtitle_of(one.result));
    if (introduction == nullptr) write_verdict(html, one.result);
    write_navigation(html, {{"#result-1-time", "Over time"},
                            {"#result-1-latency", "Latency"},
                            {"#result-1-transactions", "Transactions"},
                            {"#result-1-availability", "Availability"},
                            {"#result-1-audit", "Audit"},
                            {"#result-1-client", "Client"},
                            {"#result-1-plan", "Plan and environment"}});
  }
  const auto main = html.open("main", {{"id", "content"}, {"tabindex", "-1"}});
  if (introduction != nullptr) {
    introduction->write(html);
    const auto section = html.open("section");
    html.line("h2", "The result " + shortened(one.name, 200));
    write_verdict(html, one.result);
  }
  write_parts(html, one.result, "result-1", 2);
}

void write_several(HtmlWriter& html, const std::vector<NamedResult>& results,
                   const Introduction* introduction) {
  {
    const auto header = html.open("header");
    html.line("h1", introduction != nullptr ? introduction->title
                                            : fmt::format("{} results compared", results.size()));
    html.line("p", {{"class", "lead"}}, "The first: " + title_of(results[0].result));
    write_navigation(html, {{"#results", "Results"},
                            {"#differences", "Differences"},
                            {"#charts", "On top of each other"},
                            {"#result-1", "Each result"}});
  }
  const auto main = html.open("main", {{"id", "content"}, {"tabindex", "-1"}});
  if (introduction != nullptr) introduction->write(html);
  write_results_table(html, results);
  write_differences(html, results);
  write_overlays(html, results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string id = fmt::format("result-{}", i + 1);
    const auto section = html.open("section", {{"id", id}});
    const auto details = html.open("details", {{"class", "result"}});
    {
      const auto summary = html.open("summary");
      html.line("h2", fmt::format("{} {}", i + 1, shortened(results[i].name, 200)));
      html.line("span", {{"class", "lead"}},
                fmt::format(" tpmC {}, {}", rate_text(results[i].result.summary.tpmc),
                            title_of(results[i].result)));
    }
    html.line("p", {{"class", "lead"}}, subtitle_of(results[i].result));
    write_verdict(html, results[i].result);
    write_parts(html, results[i].result, id, 3);
  }
}

void write_footer(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto footer = html.open("footer");
  const Tool& tool = results[0].result.tool;
  html.line("p", fmt::format("Measured by {} {} ({}).", shortened(tool.name, 60),
                             shortened(tool.version, 60), shortened(tool.commit, 60)));
  html.line("p",
            "This is not an official TPC result and must not be compared with published ones.");
}

std::string write_page(const std::vector<NamedResult>& results, const Introduction* introduction) {
  assert(!results.empty() && results.size() <= report_results_max);
  HtmlWriter html;
  {
    const auto root = html.open("html", {{"lang", "en"}});
    const std::string title =
        introduction != nullptr ? introduction->title + " – Drover" : page_title(results);
    write_head(html, title, introduction);
    const auto body = html.open("body");
    html.line("a", {{"class", "skip"}, {"href", "#content"}}, "Skip to the content");
    if (results.size() == 1) {
      write_single(html, results[0], introduction);
    } else {
      write_several(html, results, introduction);
    }
    write_footer(html, results);
  }
  return html.take();
}

}  // namespace

std::string html_report(const std::vector<NamedResult>& results) {
  return write_page(results, nullptr);
}

std::string html_report(const std::vector<NamedResult>& results, const Introduction& introduction) {
  return write_page(results, &introduction);
}

}  // namespace drover::report
