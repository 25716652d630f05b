// cmd/man.cpp - the manual page, written from the parser's own definitions: it cannot tell of an option there is not.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command.hpp"
#include "machine.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

// Text as roff takes it: a backslash, a hyphen that is typed, and a dot or quote at the start of a line mean something.
[[nodiscard]] std::string roff(std::string_view text) {
  std::string out;
  bool fresh = true;
  for (const char c : text) {
    if (fresh && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
    fresh = c == '\n';
  }
  return out;
}

[[nodiscard]] std::string of(const option_words& o) {
  std::string names;
  for (const std::string& name : {o.brief, o.full})
    if (!name.empty()) names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (!o.is_argument && !o.type.empty()) names += fmt::format(" \\fI{}\\fR", roff(o.type));
  return fmt::format(".TP\n{}\n{}\n", names, roff(o.help));
}

[[nodiscard]] std::string of(const command_words& c) {
  std::string arguments, options;
  for (const option_words& o : c.options) {
    if (o.is_argument) arguments += fmt::format(" \\fI{}\\fR{}", roff(o.full), o.repeats ? "..." : "");
    options += of(o);
  }
  std::string examples;
  for (std::string_view rest = c.is->examples; !rest.empty();) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    examples += roff(line.substr(std::min<std::size_t>(2, line.size()))) + "\n";
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return fmt::format(".SS {0}\n\\fBumbel {0}\\fR [\\fIOPTIONS\\fR]{1}\n.PP\n{2}\n.PP\n.EX\n{3}.EE\n{4}", c.is->name,
                     arguments, roff(c.is->summary), examples, options);
}

exit_code run() {
  std::string sections;
  for (const command_words& c : all_words()) sections += of(c);
  write_out(fmt::format(R"(.TH UMBEL 1 "" "umbel {0}" "User Commands"
.SH NAME
umbel \- approximate sets and static maps in small files
.SH SYNOPSIS
\fBumbel\fR \fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]
.br
\fBumbel help\fR [\fICOMMAND\fR]
.SH DESCRIPTION
A list of keys becomes a file of a few bits per key that knows what is certainly not in the list, and is wrong about the
rest at a rate that was asked for; a table of keys and values becomes a file that answers every key of it with its value.
.PP
Rates are written 0.01, 1%, 1e\-3, 2\(ha\-8 or "1 in 1000"; numbers 1000000, 1e6 or 10M; sizes 500M, 2G or 2GB.
.SH COMMANDS
{1}.SH EXIT STATUS
.TP
0
Something was found, or all went well.
.TP
1
Nothing was found, or a file that was to be verified is damaged.
.TP
2
Something went wrong; one line on standard error says what, and what to do.
.SH ENVIRONMENT
.TP
TMPDIR
Where keys wait that do not fit into \-\-memory (default: /tmp).
.SH SEE ALSO
.BR grep (1),
.BR comm (1),
.BR join (1)
)",
                        version(), sections));
  return exit_code::found;
}

}  // namespace

const command man{.name = "man",
                  .summary = "Print the manual page.",
                  .examples = "  umbel man | man -l -",
                  .define = [](option_list&) -> action { return [](const invocation&) { return run(); }; }};

}  // namespace umbel::cli
