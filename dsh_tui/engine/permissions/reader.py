"""Reads a command line as bash does, as far as that is beyond doubt.

Flat: which simple commands there are, of which words, not how they are nested. That is enough,
because bash runs nothing but such runs of words. It stops at the first thing whose reading is not
certain; `reading` holds the result against a second reading. Source: design §3.15.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Final

from dsh_tui.engine.permissions.command_line import (
    CommandLine,
    NotUnderstood,
    Redirect,
    SimpleCommand,
    Word,
)
from dsh_tui.engine.permissions.conditions import read_condition
from dsh_tui.engine.permissions.words import WordReader

MOST_NESTING: Final = 20

_OPENING: Final = frozenset({"!", "{", "if", "then", "elif", "else", "while", "until", "do", "for"})
"""Reserved words behind which a command begins."""
_CLOSING: Final = frozenset({"}", "fi", "done"})
_UNREAD: Final = frozenset({"case", "esac", "select", "function", "coproc", "in", "[[", "]]"})
_RESERVED: Final = _OPENING | _CLOSING | _UNREAD
_REDIRECT = re.compile(r"&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||<(?!\()|>(?!\()")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[|\+?=)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AFTER_TIME = re.compile(r"(?:-p[ \t]+)?(\(|[^ \t\n;&|()<>]*)")
_EXPANDED = re.compile(r"[`\\]|\$[({\[]")
"""What would have to be read inside a here-document."""

_PROCESS = re.compile(r"[<>]\(")

Span = tuple[int, int]


@dataclass(slots=True)
class _Segment:
    """What stands between two control operators."""

    words: list[tuple[Span, Word]] = field(default_factory=list)
    bare: bool = True
    """Nothing but reserved words so far, so that the next word may be one too."""
    closed: bool = False
    """It ended a group: only redirects may follow."""
    piped: bool = False
    """It reads what the segment before it writes."""
    has_document: bool = False


class Reader(WordReader):
    """One reading of a text."""

    def __init__(self, text: str, at: int = 0, depth: int = 0, *, platform: str = sys.platform) -> None:
        super().__init__(text, at)
        self._depth = depth
        self._platform = platform
        self._commands: list[tuple[int, SimpleCommand]] = []
        self._redirects: list[Redirect] = []
        self._assignments: list[str] = []
        self._documents: list[tuple[str, bool, bool]] = []
        self._has_documents = False
        self._expands = False
        self._behind_pipe = False
        """Where the words are that are read: what is substituted in them reads from the pipe too."""
        self._fed: list[SimpleCommand | None] = []
        self.names: set[Span] = set()
        """Where the names of commands are."""
        self.others: set[Span] = set()
        """Where all other words are."""

    def read(self) -> CommandLine:
        """The line; with a doubt, if it could not be read to its end."""
        doubt = ""
        try:
            self.read_list("")
        except NotUnderstood as error:
            doubt = str(error)
        commands = tuple(command for _, command in sorted(self._commands, key=lambda pair: pair[0]))
        if self._has_documents and _PROCESS.search(self.text):
            self._fed.append(None)  # what is written to `>(x)` is read by x, wherever it comes from
        return CommandLine(
            commands,
            tuple(self._redirects),
            tuple(self._assignments),
            tuple(self._fed),
            self._expands,
            doubt,
        )

    def read_list(self, end: str) -> None:
        self._depth += 1
        if self._depth > MOST_NESTING:
            raise NotUnderstood("very deep nesting")
        if self._documents:
            raise NotUnderstood("a substitution behind the start of a here-document")
        inherits = self._behind_pipe
        segment = _Segment(piped=inherits)
        while (char := self._next()) != end:
            if not char or char == ")":
                raise NotUnderstood("parentheses that don't match")
            self._behind_pipe = segment.piped
            if char == "#":
                newline = self.text.find("\n", self.at)
                self.at = len(self.text) if newline < 0 else newline
            elif char == "(":
                self._group(segment)
            elif separator := self._separator(char):
                self._finish(segment)
                goes_on = segment.piped and segment.bare and separator == "\n"
                segment = _Segment(piped=goes_on or inherits or separator in ("|", "|&"))
            else:
                self._element(segment)
        if self._documents:
            raise NotUnderstood("a here-document that does not begin")
        self.at += len(end)
        self._finish(segment)
        self._behind_pipe = inherits
        self._depth -= 1

    def read_backquoted(self, start: int, end: int) -> None:
        if self._documents:
            raise NotUnderstood("a substitution behind the start of a here-document")
        inner = Reader(self.text[:end], start, self._depth, platform=self._platform)
        inner._has_documents, inner._behind_pipe = self._has_documents, self._behind_pipe  # the same class
        inner.read_list("")
        self._commands += inner._commands
        self._redirects += inner._redirects
        self._assignments += inner._assignments
        self._fed += inner._fed
        self._has_documents |= inner._has_documents
        self._expands |= inner._expands
        self.names |= inner.names
        self.others |= inner.others

    def _next(self) -> str:
        self.blanks()
        return self.peek()

    def _separator(self, char: str) -> str:
        """Steps over a control operator or a newline; empty if none is here."""
        two = self.text[self.at : self.at + 2]
        if two in (";;", ";&"):
            raise NotUnderstood(f"`{two}`")
        if char not in "\n;&|" or two == "&>":
            return ""
        operator = two if two in ("&&", "||", "|&") else char
        self.at += len(operator)
        if char == "\n":
            self._here_documents()
        return operator

    def _group(self, segment: _Segment) -> None:
        if not segment.bare or self.text.startswith("((", self.at):
            raise NotUnderstood("a function, an array, a pattern or arithmetic")
        self._feed_group(segment)
        self.at += 1
        self.read_list(")")
        segment.bare, segment.closed = False, True

    def _element(self, segment: _Segment) -> None:
        """A word or a redirect."""
        start = self.at
        word = None if _REDIRECT.match(self.text, start) else self.word()
        raw = self.text[start : self.at]
        if word is None or (self.peek() in ("<", ">") and re.fullmatch(r"[0-9]+|\{\w+\}", raw)):
            self._redirect(raw, segment)
            segment.bare = False
        elif segment.closed:
            raise NotUnderstood("words behind a group")
        elif not segment.words:
            self._first(segment, (start, self.at), word)
        else:
            segment.words.append(((start, self.at), word))

    def _first(self, segment: _Segment, span: Span, word: Word) -> None:
        """A word where a command may begin."""
        raw = self.text[slice(*span)]
        if raw in _RESERVED:
            self._feed_group(segment)
        if raw == "[[" and segment.bare:
            places, self.at = read_condition(self.text, self.at)
            self.names.add(span)
            self.others.update(places)
            segment.bare, segment.closed = False, True
            return
        if raw in _RESERVED:
            if raw in _UNREAD or not segment.bare:
                raise NotUnderstood(f"`{raw}`")
            if raw == "for":
                self._loop_head()
            segment.closed = raw in _CLOSING
            segment.bare = not segment.closed
            return
        segment.bare = False
        assignment = _ASSIGNMENT.match(raw)
        if assignment is None:
            segment.words.append((span, word))
            if raw == "time":
                self._check_timed()
        elif assignment[2] == "[":
            raise NotUnderstood("an assignment to a part of an array")
        else:
            self._assignments.append(assignment[1])
            self.others.add(span)

    def _check_timed(self) -> None:
        """`time` is a reserved word: behind it a command begins once more, which only plain ones may."""
        here = self.at
        self.blanks()
        following = _AFTER_TIME.match(self.text, self.at)
        assert following is not None
        if following[1] in _RESERVED or following[1] == "(" or _ASSIGNMENT.match(following[1]):
            raise NotUnderstood("`time` in front of more than a command")
        self.at = here

    def _loop_head(self) -> None:
        self.blanks()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise NotUnderstood("the head of a loop")
        self.at = name.end()
        self._assignments.append(name[0])
        if self._next() == "i" and re.match(r"in(?=[ \t\n;\\])", self.text[self.at : self.at + 3]):
            self.at += 2
            while self._next() not in ("", "\n", ";"):
                start = self.at
                self.word()
                if self.at == start:
                    raise NotUnderstood("the head of a loop")
                self.others.add((start, self.at))
        if self._next() not in ("\n", ";"):
            raise NotUnderstood("the head of a loop")

    def _feed_group(self, segment: _Segment) -> None:
        """Whatever is in a group may read what is piped into it."""
        if segment.piped and self._has_documents:
            self._fed.append(None)

    def _redirect(self, descriptor: str, segment: _Segment) -> None:
        match = _REDIRECT.match(self.text, self.at)
        if match is None or (descriptor and (descriptor[0] == "{" or match[0].startswith("&"))):
            raise NotUnderstood("a redirect with an unusual descriptor")
        self.at = match.end()
        self.blanks()
        start = self.at
        target = self.word()
        if self.at == start:
            raise NotUnderstood("a redirect without a target")
        raw = self.text[start : self.at]
        self._redirects.append(Redirect(match[0], target))
        if match[0] not in ("<<", "<<-"):
            self.others.add((start, self.at))
        elif target.literal and "\n" not in raw:
            self._documents.append((target.text, raw != target.text, match[0] == "<<-"))
            segment.has_document = self._has_documents = True
        else:
            raise NotUnderstood("a here-document with an unusual end")

    def _here_documents(self) -> None:
        """Steps over the bodies that begin behind this newline."""
        waiting, self._documents = self._documents, []
        if waiting and self._depth > 1 and self._platform == "darwin":
            # Its bash is 3.2, which looks for the end of `$(` without a thought of documents in there.
            raise NotUnderstood("a here-document in parentheses or backquotes")
        for end, quoted, tabs in waiting:
            start = self.at
            while True:
                newline = self.text.find("\n", self.at)
                line = self.text[self.at :] if newline < 0 else self.text[self.at : newline]
                line = line.lstrip("\t") if tabs else line
                if line == end:
                    break
                if line.startswith(end):  # bash may end it here where a parenthesis follows
                    raise NotUnderstood("a here-document with a line that begins like its end")
                if newline < 0:
                    raise NotUnderstood("a here-document that is not closed")
                self.at = newline + 1
            if not quoted and _EXPANDED.search(self.text, start, self.at):
                raise NotUnderstood("a here-document with expansions")
            self._expands |= not quoted and "$" in self.text[start : self.at]
            self.at = len(self.text) if newline < 0 else newline + 1

    def _finish(self, segment: _Segment) -> None:
        command = None
        if segment.words:
            (span, _), *others = segment.words
            self.names.add(span)
            self.others.update(place for place, _ in others)
            command = SimpleCommand(tuple(word for _, word in segment.words))
            self._commands.append((span[0], command))
        if segment.has_document or (command is not None and segment.piped and self._has_documents):
            self._fed.append(command)
