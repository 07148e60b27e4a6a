"""Options by which a program runs something else, writes a file, or is led to other instructions.

A rule for the program covers them only where it spells them out. The tables know programs whose
purpose is another one: nobody who allows ``sort *`` means a file that it writes. What a program
does anyway (``python``, ``awk``, ``pip install``) is left to whoever allows it.
Source: design §4; manuals of the programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dsh_tui.engine.permissions.command_line import Word
from dsh_tui.engine.permissions.git_messages import message_of


@dataclass(frozen=True, slots=True)
class Options:
    """Options to look for among words."""

    named: tuple[str, ...]
    """Letters (``-o``), long ones, which are found in their abbreviations, or words of find's kind."""
    values: str = ""
    """Letters that take the rest of their word as a value: what follows them are no options."""
    one_dash: bool = False
    """``-exec`` is one option, not four letters."""

    @classmethod
    def of(cls, named: str, values: str = "", *, one_dash: bool = False) -> Options:
        return cls(tuple(named.split()), values, one_dash)

    def last(self, words: Iterable[Word]) -> int:
        """Behind which word the last of them stands, or may stand; 0 if there is none."""
        found = 0
        for at, word in enumerate(words, start=1):
            if word.literal and word.text == "--":
                break
            if any(self._may_be(word, option) for option in self.named):
                found = at
        return found

    def _may_be(self, word: Word, option: str) -> bool:
        """True if the word is the option, abbreviated or among other letters, or may turn into it."""
        if not word.literal and (option.startswith(word.text) or word.text.startswith(option)):
            return True
        if option.startswith("--"):
            name = word.text.partition("=")[0]
            return len(name) > 3 and option.startswith(name)
        if self.one_dash or len(option) > 2:
            return word.text == option or word.text.startswith(f"{option}=")
        return word.text[:2] == option or (word.text[:1] == "-" and self._among(word.text[1:], option[1]))

    def _among(self, letters: str, wanted: str) -> bool:
        for letter in letters:
            if letter == wanted:
                return True
            if letter in self.values or not (letter.isascii() and letter.isalpha()):
                return False
        return False


_MAKE: Final = Options.of("-E -f -C -I --eval --file --makefile --directory --include-dir", "joloW")
_NPM: Final = Options.of(
    "-C --script-shell --node-options --prefix --dir --cwd --userconfig --globalconfig --git --shell"
)
_PYTEST: Final = Options.of(
    "-c -o -p --config-file --override-ini --rootdir --confcutdir --basetemp --pdb --pdbcls --trace "
    "--junitxml --junit-xml --log-file --debug --report-log --html --cov-config --pastebin",
    "kmnrW",
)
_RUN: Final = Options.of("-x -X --exec --exec-batch")

OPTIONS: Final = {
    "[": Options.of("-v -R"),
    "ack": Options.of("--pager --output"),
    "ag": Options.of("--pager"),
    "bat": Options.of("--pager"),
    "cargo": Options.of("-C -Z --config --manifest-path --target-dir"),
    "date": Options.of("-s --set", "dfrI"),
    "dsh-tui": Options.of("--mode"),
    "eslint": Options.of("-c -o --config --rulesdir --output-file --resolve-plugins-relative-to"),
    "fd": _RUN,
    "fdfind": _RUN,
    "flake8": Options.of("--config --append-config --output-file"),
    "git": Options.of(
        "--upload-pack --receive-pack --exec --extcmd --open-files-in-pager --output --ext-diff "
        "--template --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd"
    ),
    "gmake": _MAKE,
    "go": Options.of(
        "-C -exec -toolexec -vettool -ldflags -gccgoflags -overlay -modfile -outputdir -o -w "
        "--exec --toolexec --vettool --ldflags --gccgoflags --overlay --modfile --outputdir",
        one_dash=True,
    ),
    "history": Options.of("-a -s -w"),
    "iconv": Options.of("-o --output", "ft"),
    "jest": Options.of("-c --config --rootDir --globalSetup --testRunner --reporters --outputFile"),
    "jobs": Options.of("-x"),
    "less": Options.of("-o -O -k --log-file --LOG-FILE --lesskey-file --lesskey-src", "bhjpPtTxyz#"),
    "make": _MAKE,
    "man": Options.of("-P -H --pager --html"),
    "mypy": Options.of("--config-file --python-executable --cache-dir --junit-xml"),
    "npm": _NPM,
    "pnpm": _NPM,
    "printf": Options.of("-v"),
    "py.test": _PYTEST,
    "pylint": Options.of("--rcfile --init-hook --load-plugins --output"),
    "pytest": _PYTEST,
    "rg": Options.of("-z --pre --hostname-bin --search-zip", "ABCEMTdefgjmrt"),
    "rsync": Options.of("-e --rsh --rsync-path"),
    "scp": Options.of("-o -S -D -F"),
    "sftp": Options.of("-o -S -D -F -b"),
    "shuf": Options.of("-o --output"),
    "sort": Options.of("-o --compress-program --output", "kStT"),
    "tar": Options.of(
        "-I -F --to-command --checkpoint-action --use-compress-program --info-script --rmt-command "
        "--rsh-command"
    ),
    "tcpdump": Options.of("-z"),
    "test": Options.of("-v -R"),
    "tree": Options.of("-o -R"),
    "yarn": _NPM,
    "zip": Options.of("-TT --unzip-command"),
}


def _beside_messages(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words with a plain one in the place of each message."""
    places = message_of(words).places
    return tuple(Word("message") if at in places else word for at, word in enumerate(words))


def spelled_options(program: str, words: tuple[Word, ...]) -> int:
    """Up to where the last option stands that a rule has to spell out; 0: there is none."""
    options = OPTIONS.get(program)
    if options is None:
        return 0
    if program in ("test", "["):  # `--` is an operand there
        return max((at for at in range(1, len(words) + 1) if options.last(words[at - 1 : at])), default=0)
    if program == "printf":  # first or never
        return options.last(words[:2])
    if program == "git":
        return options.last(_beside_messages(words))
    if program == "tar" and len(words) > 1 and not words[1].text.startswith("-"):
        old = Word(f"-{words[1].text}", words[1].literal)
        return options.last((words[0], old, *words[2:]))
    return options.last(words)
