// cmd/man.cpp - the command `umbel man`: the manual page, made from the definitions of the parser.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "command.hpp"
#include "machine.hpp"
#include "streams.hpp"

namespace umbel::cli {

namespace {

// Escapes text for roff, where a backslash, a hyphen, and a dot or quote at the start of a line
// have a meaning.
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
    if (o.is_argument)
      arguments += fmt::format(" \\fI{}\\fR{}", roff(o.full), o.repeats ? "..." : "");
    options += of(o);
  }
  std::string examples;
  for (std::string_view rest = c.is->examples; !rest.empty();) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    examples += roff(line.substr(std::min<std::size_t>(2, line.size()))) + "\n";
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return fmt::format(
      ".SS {0}\n\\fBumbel {0}\\fR [\\fIOPTIONS\\fR]{1}\n.PP\n{2}\n.PP\n.EX\n{3}.EE\n{4}",
      c.is->name, arguments, roff(fmt::format("{} {}", c.is->summary, c.is->details)), examples,
      options);
}

exit_code run() {
  std::string sections;
  for (const command_words& c : all_words()) sections += of(c);
  write_out(fmt::format(R"(.TH UMBEL 1 "" "umbel {0}" "User Commands"
.SH NAME
umbel \- approximate sets and maps in small files
.SH SYNOPSIS
\fBumbel\fR \fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]
.br
\fBumbel help\fR [\fICOMMAND\fR]
.SH DESCRIPTION
\fBumbel build\fR turns a list of keys into a file of a few bits per key, and \fBumbel query\fR
prints which keys may be in the list. A \(lqno\(rq is always right; a \(lqyes\(rq is wrong at the
false positive rate given by \-\-fpr.
With \-\-map a table of keys and values becomes a file from which \fBumbel get\fR prints the value
of every key.
.PP
Rates are written 0.01, 1%, 1e\-3, 2\(ha\-8 or "1 in 1000"; numbers 1000000, 1e6 or 10M; sizes
500M, 2G or 2GB.
.SH COMMANDS
{1}.SH EXIT STATUS
.TP
0
A key was found, or the command succeeded. \fBumbel verify\fR: all files are whole.
.TP
1
No key was found. \fBumbel verify\fR: a file is damaged.
.TP
2
An error, explained on standard error. \fBumbel verify\fR: a file could not be checked.
.SH ENVIRONMENT
.TP
TMPDIR
Directory for temporary files of builds that exceed \-\-memory (default: /tmp).
.SH SEE ALSO
.BR grep (1),
.BR comm (1),
.BR join (1)
)",
                        version(), sections));
  return exit_code::found;
}

}  // namespace

const command man{
    .name = "man",
    .group = command_group::shell,
    .summary = "Print the manual page.",
    .details = "",
    .examples = "  umbel man | man -l -",
    .define = [](option_list&) -> action { return [](const invocation&) { return run(); }; }};

}  // namespace umbel::cli
