"""Command lines around allow rules: from a grammar, with an uncovered command woven in, and mutated.

`okA`, `okB` and `okC` are what rules cover, `evil` is what they don't. Most lines keep `evil` where
it is only text, so that whatever makes it run is a hole.
"""

from __future__ import annotations

from random import Random

# fmt: off
RULES = (
    "allow bash(okA)", "allow bash(okB *)", "allow bash(okC sub *)", "allow bash('ok D' *)",
    "allow bash(echo *)", "allow bash(printf *)", "allow bash(test *)", "allow bash(cat *)",
    "allow bash(true)", "allow bash(xargs okB *)", "allow bash(find *)", "allow bash(env okB *)",
    "allow bash(timeout *)", "allow bash(git *)", "allow bash(make *)", "allow bash(cd *)",
    "allow bash(wc *)", "allow bash(sort *)", "allow bash([ *)", "allow bash(./okE *)",
    "allow bash(bash -c okA)", "allow bash(command -v *)", "allow bash(jobs *)", "allow bash(wait *)",
    "allow bash(read *)", "allow bash(eval *)", "allow bash(export *)", "allow bash(trap *)",
    "allow bash(alias *)", "allow bash(hash *)", "allow bash(unset *)", "allow bash(let *)",
    "allow bash(source *)", "allow bash(. *)", "allow bash(shopt *)", "allow bash(exec *)",
    "allow bash(declare *)", "allow bash(nice *)", "allow bash(command *)", "allow bash(mapfile *)",
    "allow bash(compgen *)", "allow bash(:)", "allow bash(xargs git *)", "allow bash(nohup bash *)",
    "allow bash(env find *)", "allow bash(builtin printf *)", "allow bash(find sub -exec bash *)",
    "allow bash(env xargs *)", "allow bash(okS *)", "allow bash(sh *)", "allow bash(tee *)",
    "allow bash(bash *)",
)
_WORDS = (
    "x", "-l", "--all", "a=b", "HEAD~1", "evil", "./evil", "'evil'", '"evil"', "e\\vil", "$'evil'", "''",
    '""', "';evil'", '";evil"', "\\;evil", "'&& evil'", '"| evil"', "\\&\\&", "'$(evil)'", "\\$\\(evil\\)",
    "'`evil`'", '"\\$(evil)"', '"\\`evil\\`"', "'>out'", "\\>out", "a#evil", "'#'", "$HOME", '"$HOME"',
    "${HOME}", "$UNSET", "*.txt", "?", "[ab]", "~", "{a,b}", "{1..2}", "$((1+2))", "$(okA)", '"$(okB x)"',
    "`okA`", "<(okA)", "é", "日本", "$'a\\'b'", "$'\\x41'", "$'\\n'", "a\\\nb", "'a\nevil'", '"a\nevil"',
    "\\\\", "'\\'", '"\\\\"', "a\\ b", "}", "{", "!", "!!", "-exec", "+", "then", "do", "evil)", "'('",
    "a'b\"c'd", "a\"b'c\"d", "1", "2", "$?", "$$", "$@", "%s", '"${HOME}x"', "${HOME:-x}", "a$", '"$"',
    "a,b", "a..b", "@{1}", "^", "=", "[", "]", "-", "--", ":", "a:b", "\\",
)
"""Arguments; where `evil` stands in one, it is text."""
_LIVE = (
    "okA >&٣", "okA <&٣", "okA ٣>out", "okA ２>&１", "if\xa0okA", "echo x | xargs git -c alias.x=!evil x",
    "echo evil | xargs git -c alias.x=!evil", "nohup bash -c evil", "nohup bash ./evil", "nohup bash <evil",
    "env find . -maxdepth 0 -exec evil ;", "builtin printf -v PATH .; okZ",
    "find sub -maxdepth 0 -exec bash -c evil \\;", "find sub -maxdepth 0 -exec bash ./evil \\;",
    "echo x | env xargs evil", "env xargs -a in.txt evil", "echo evil | xargs env",
    "echo ./evil | xargs nohup bash", 'okB "$\\\n(evil)"', "okB $\\\n(evil)", "okB <\\\n(evil)",
    "okA &\\\n& evil", "okA >\\\n>out", "okA # \\\n", 'okB "`\\\nevil`"', "okB $\\\n'\\x41'",
    "okB '\\\n'$(evil)", "(\\\n(evil))", "okB $(\\\n(evil))", "okB {\\\nevil,}", "\\\nevil",
    "ok\\\nA; ev\\\nil", "command cd sub && ./okE", "timeout 5 cd sub; ./okE", "cd sub; cat <in.txt",
    "(cd sub); ./okE", "./timeout 5 okA", "./nice okA", "./time okA", "./command okA", "sub/../timeout 5 okA",
    "command timeout 5 ./evil", "nice command evil", "tar --rmt-command=evil -cf /dev/null x",
    "bash ./okE evil", "okB ${X@P}", "okB ${!X}", "okA <<E; evil\nE", "okA <<E && evil\nx\nE",
    "okA <<E\nE\nevil", "okA << E >out\nE", "okA <<E |evil\nE", "okB <<E $(evil)\nE",
    "okA <<A <<B\nA\nx\nB\nevil", "okB $(cat <<E\n)\nE\nevil)", "cat <<E\n\\$(evil)\nE",
    "okB \"$(cat <<'E'\n'\nE\n)\"; evil", "okB $(( 1 )); evil", "okB $((1)", "okB $((evil) )",
    "okB $( (evil) )", "okB $((echo 1); evil)", "okB ${X:-a}; evil", "{ evil; } 2>&1", "{okA; evil; }",
    "okA }; evil; {", "if okA; then okA; fi; evil", "okA; fi; evil", "! { evil; }", "!evil",
    "time -p -- evil", "time -- evil", "time\tevil", "time; evil", "time -p; evil", "time\nevil",
    "time -p { evil; }", "! time evil", "okA; evil", "okA && evil", "okA || evil", "okA | evil",
    "okA |& evil", "okA & evil", "okA\nevil", "! evil", "(evil)", "{ evil; }", "okB $(evil)", "okB `evil`",
    'okB "$(evil)"', 'okB "`evil`"', "okB <(evil)", "okB >(evil)", "okB $(okB $(evil))", "okB `okB $(evil)`",
    "X=$(evil) okA", "X=`evil`", "okA >$(evil)", "okA <<<$(evil)", 'okA <<<"$(evil)"', "okA <<E\n$(evil)\nE",
    "okA <<E\n`evil`\nE", "okA <<-E\n\t$(evil)\n\tE", "okA <<'E'\n$(evil)\nE\nevil", "okA <<E\nx\nE\nevil",
    "okA <<\\E\n$(evil)\nE\nevil", 'okA <<"E F"\nx\nE F\nevil', "okB $((1+$(evil)))", "okB $((a[$(evil)]))",
    "okB ${X:-$(evil)}", 'okB "${X:-`evil`}"', "okB ${X:=$(evil)}", "okB ${a[$(evil)]}", "a=($(evil))",
    "a[$(evil)]=1", "okB $[1+$(evil)]", "((a[$(evil)]))", "[[ -n $(evil) ]]", "[[ -v a[$(evil)] ]]",
    "test -v 'a[$(evil)]'", "[ -v 'a[$(evil)]' ]", "test -R x -o -v 'a[$(evil)]'", "printf -v 'a[$(evil)]' x",
    "printf -v PATH .; okZ", "read 'a[$(evil)]' <<< x", "wait -p 'a[$(evil)]'", "unset 'a[$(evil)]'",
    "let 'a[$(evil)]'", "declare 'a[$(evil)]=1'", "export PATH=.; okA", "PATH=. okA", "PATH=.\nokA",
    "okA() { evil; }; okA", "function okA { evil; }; okA", "okA () (evil); okA", "evil() { :; }; evil",
    "alias okA=evil; okA", "shopt -s expand_aliases\nalias okA=evil\nokA", "hash -p ./evil okA; okA",
    "enable -f ./evil okA", "trap evil EXIT", "trap 'evil' EXIT; okA", "trap -- evil DEBUG; okA", "eval evil",
    "eval 'ev''il'", "eval okA\\;evil", "exec ./evil", "command ./evil", "builtin eval evil",
    "command eval evil", "source ./evil", ". ./evil", "bash evil", "bash ./evil", "sh -c evil",
    "bash -c 'okA; evil'", "bash <<< evil", "echo evil | bash", "echo evil | sh", "okA | bash -s", "env evil",
    "env -S evil", "env -S 'okB;evil'", "env -i ./evil", "env okA=1 evil", "env PATH=. okA", "env okB=1 evil",
    "timeout 5 evil", "timeout -k 1 5 evil", "timeout 5 env evil", "timeout 5 bash -c evil", "nice evil",
    "nohup evil", "setsid evil", "time evil", "time -p evil", "time ! evil", "time { evil; }", "time (evil)",
    "time okA; evil", "time X=1 evil", "coproc evil", "coproc X { evil; }", "stdbuf -o0 evil",
    "xargs evil </dev/null", "echo x | xargs evil", "echo x | xargs okA evil", "echo x | xargs -I{} {} ",
    "echo evil | xargs -I% %", "echo evil | xargs -I% bash -c %", "echo evil | xargs env", "xargs -a x evil",
    "find . -maxdepth 0 -exec evil ;", "find . -maxdepth 0 -exec evil \\;",
    "find . -maxdepth 0 -execdir ./evil {} +", "find . -maxdepth 0 -ok evil \\;",
    "find . -maxdepth 0 $(echo -exec evil) \\;", "find . -maxdepth 0 {-exec,evil,\\;}",
    "find . -maxdepth 0 -fprint out", "find x -delete", "git -c alias.x='!evil' x",
    "git -c core.pager=evil --paginate version", "git --config-env=alias.x=HOME x",
    "git -c alias.x=\\!evil x", 'git -c "alias.x=!evil" x', "git --exec-path=. evil",
    "git config alias.x '!evil'", "git bisect run evil", "git submodule foreach evil", "git grep -Oevil x",
    "git difftool -x evil", "git ls-remote 'ext::evil'", "git ls-remote --upload-pack=evil .",
    "git log --output=out", "make SHELL=./evil x", "make --eval='x:;evil' x", "make --eval=$(echo x) x",
    "make -f - <<< 'x:;evil'", "for i in 1; do evil; done", "for i in $(evil); do okA; done",
    "for PATH in .; do okA; done", "while evil; do break; done", "if okA; then evil; fi",
    "if evil; then okA; fi", "until evil; do :; done", "case x in x) evil;; esac",
    "case $(evil) in x) okA;; esac", "case x in $(evil)) okA;; esac", "select x in 1; do evil; done <<< 1",
    "okA >out", "okA >>out", "okA &>out", "okA >|out", "okA 2>out", "okA >&out", "okA <>out", "okA {fd}>out",
    "okA 5>out", "> out", ">out okA", "okA >/dev/null >out", "okA | cat >out", "(okA) >out", "{ okA; } >out",
    "okA > 'out'", "okA # x\nevil", "okA # \\\nevil", "# evil\nevil", "okA \\\n; evil", "okA '\n'\nevil",
    "okA;evil", "okA;;evil", "okA\revil", "okA \r\nevil", "okA\x0bevil", "okA\x0c; evil", "okA\xa0; evil",
    "okA\u2028evil", "okA\u3000;evil", "cd . && ./evil", "cd .. ; ./okE", "cd sub && ./okE",
    "pushd sub; ./okE", "./okE; evil", "/bin/../bin/sh evil", "$'evil'", "$'\\x65vil'", "$'\\145vil'",
    "$'ev\\u0069l'", '"evil"', "'evil'", "e\\vil", "ev''il", "${X-evil}", "$(echo evil)", "`echo evil`",
    "e?il", "ev*", "ev[i]l", "{evil,x}", "e{vil,x}", "~/evil", "./evil", "okA=evil; $okA", "X=evil; okB; $X",
    "jobs -x evil", "okA & jobs -x evil", "compgen -C evil", "complete -C evil x",
    "mapfile -C evil -c 1 x <<< y", "sort --compress-program=./evil", "sort -o out x",
    "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec=evil", "tar -cf /dev/null -I evil x",
    "tar cfI /dev/null evil x", "tar --to-comm=evil -xf x", "command -p ./evil", "command -v x; evil",
    "bash -c okA evil", "bash -c okA; evil", "set -- evil; $1", "okB $_; evil", "exec {fd}>out",
    "[ x ] && evil", "[ $(evil) ]", "[ a -a $(evil) ]", "echo $(<out; evil)", "echo $(( $(evil) ))",
    "echo $((evil))", "okB @(a|$(evil))", "shopt -s extglob\nokB @($(evil))", 'okB $"$(evil)"',
    "okB \"$'$(evil)'\"", "okB $'$(evil)' $(evil)", 'okB "a"$(evil)"b"', "okB '\\'$(evil)'\\'",
    "okB \\'$(evil)\\'", "okB '\"'$(evil)'\"'", "okB \"'$(evil)'\"", "okB \\\\$(evil)", "okB \\$(evil)",
    'okB "\\\\$(evil)"', "okB \\\\`evil`", "okB `echo \\`evil\\``", "okB `echo '`evil`'`",
    "okB $(echo ')'; evil)", "okB $(echo \\); evil)", "okB $(echo # )\nevil\n)",
    "okB $(case x in x) evil;; esac)", "okB `# x\nevil`", "okB $(\nevil\n)", "sudo evil", "su -c evil",
    "watch evil", "script -c evil x", "parallel evil ::: 1", "busybox sh -c evil", "strace evil",
    "BASH_ENV=./evil bash -c okA", "ENV=./evil sh -c okA", "LD_PRELOAD=x okA", "IFS=x okA",
    "GIT_PAGER=evil git version", "tee >(okS) <<'E'\nevil\nE", "[[ -v 'a[$(evil)]' ]]; okA",
    "okA && [[ 'a[$(evil)]' -eq 0 ]]", "[[ -v a[\\$(evil)] ]] || okA", "cat <<'E' | tee >(okS)\nevil\nE",
    "okS <<'E'\nevil\nE", "okS <<E\nevil\nE", "bash <<'E'\nevil\nE", "bash -s <<'E'\nevil\nE",
    "sh <<-'E'\n\tevil\n\tE", "cat <<'E' | okS\nevil\nE", "cat <<'E' | bash\nevil\nE", "<<'E' okS\nevil\nE",
    "cat <<'E' |\nevil\nE\nokS", "cat <<'E' |& okS\nevil\nE", "cat <<'E' | cat | okS\nevil\nE",
    "cat <<'E' | (okS)\nevil\nE", "cat <<'E' | { okS; }\nevil\nE", "(okS) <<'E'\nevil\nE",
    "{ okS; } <<'E'\nevil\nE", "cat <<'E' | if okS; then okA; fi\nevil\nE",
    "if okS; then okA; fi <<'E'\nevil\nE", "cat <<'E' | timeout 5 okS\nevil\nE",
    "timeout 5 okS <<'E'\nevil\nE", "nice bash <<'E'\nevil\nE", "cat <<'E' | # x\nevil\nE\nokS",
    "cat <<'E' \\\n| okS\nevil\nE", "okB $(okS <<'E'\nevil\nE\n)", "cat <<'E' > >(okS)\nevil\nE",
    "okS < <(cat <<'E'\nevil\nE\n)", "okS 3<<'E' <&3\nevil\nE", "xargs <<'E'\nevil\nE",
    "xargs okS <<'E'\nevil\nE", "./cat <<'E'\nevil\nE", "env cat <<'E'\nevil\nE", "cat <<'E'\nx\nE\nevil",
    "cat <<'E'; evil\nx\nE", "cat <<'E'\nx\n E\nE\nevil\nE", "cat <<-'E'\nx\n\tE\nevil\nE",
    "cat <<'E'\nx\nE \nE\nevil", "cat <<'E''F'\nx\nEF\nevil\nE", "cat <<\"E\"\n$(evil)\nE",
    "cat <<\\E\n`evil`\nE", "cat <<$E\nevil\n$E", "cat <<'E'E\n$(evil)\nEE", "cat <<E\n$(evil)\nE",
    "cat <<E\n${X:-`evil`}\nE", "cat <<E\n$HOME\nE", "cat <<''\nevil\n\nevil",
    "okB \"$(cat <<'E'\n$(evil)\nE\n)\"", "okB \"$(cat <<'E'\n)\nE\nevil)\"",
    "while okS; do okB; done <<'E'\nevil\nE", "okA <<'E' &\nevil\nE\nokS", "cat - <<'E' | okS -\nevil\nE",
    "[[ -v 'a[$(evil)]' ]]", "[[ -R a ]]; evil", "[[ a[$(evil)] -eq 0 ]]", "[[ 'a[$(evil)]' -eq 0 ]]",
    "[[ x -lt $(evil) ]]", "[[ x =~ $(evil) ]]", "[[ x == $(evil) ]]", "[[ x == `evil` ]]",
    "[[ -f <(evil) ]]", "[[ x ]] && evil", "[[ x ]] || evil", "[[ x\nevil ]]", "[[ x && $(evil) ]]",
    "[[ ( x ) && -n $(evil) ]]", "[[ -n \"$(evil)\" ]]", "[[ x ]]; evil", "[[ x ]] | evil", "[[ x ]] > out",
    "! [[ x ]] || evil", "if [[ -n $(evil) ]]; then okA; fi", "if [[ x ]]; then evil; fi",
    "[[ x == @($(evil)) ]]", "[[ ${X:=$(evil)} ]]", "[[ -t ${a[$(evil)]} ]]", "[[ ]] ]]; evil",
    "[[ -f ]] ]]; evil", "[[ x < out ]]", "[[ x > out ]]", "[[ -o x ]] && evil", "time [[ x ]]; evil",
    "(cat <<'E'\nevil\nE\n) | cat \"$(okS)\"", "cat <<'E' | cat `okS`\nevil\nE",
    "echo \"$(cat <<'E'\nevil\nE\n)\" | cat $(okA `okS`)", "cat <<'E' `okS`\nevil\nE",
    "(cat <<'E'\nevil\nE\n) | cat \"$(true)$( (okS) )\"", "okB \"$(cat <<'E'\nE$(evil) )\"\nE\n)\"",
    "okB $(cat <<'E'\nE; evil )\nE\n)", "okB $(cat <<'E'\n); evil; (:\nE\n)", "cat <#x\nevil",
    "cat <<#E\nevil\n#E",
    "[[x ]]; evil", "[[ x]]; evil", "[[ x ]]evil", "[[\tx ]]\tevil", "[[ a\\\n[$(evil)] ]]",
)
"""Lines that run `evil` or write a file, or would if something in them were read wrongly."""
_TRICKY = (
    " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">", "'", '"', "\\", "`", "$", "#", "!", "{", "}", "[",
    "]", "*", "?", "~", "=", "+", "-", ".", ",", ":", "@", "%", "^", "/", "1", "a", "x", "\r", "\x0b",
    "\x0c", "\x00", "\x1b", "\xa0", "\u2028", "\u200b", "\ufeff", "$(", "`", "&&", "||", "evil", ";evil",
    "\nevil\n", "|evil", "$(evil)", "\\\n", "<<E\n", "\nE\n", "<<<", "${", "$((", "))", "$'", '$"', "<(",
    ">(", "2>", ">&", "&>", ";;", "[[", "]]", "#", " then ", " do ", " in ", " { ", " }", "!", "time ",
    "function ", "() ", "a=", "a=(", "a[", "é", "'", '"', "`", "\\",
    " <<'E'", "<<-E", "<<\\E\n", "\nE", "[[ ", " ]]", " && ",
)
"""What mutations insert."""
_HARMLESS_REDIRECTS = (
    ">/dev/null", "2>&1", "2>/dev/null", "&>/dev/null", "<in.txt", ">&2", "2>&-", "< in.txt", "3<in.txt",
)
_NAMES = (
    "okA", "okB", "okB", "okB", "okB", "okC sub", "okC", '"okB"', "ok\\B", "'ok D'", "ok\\ D", "o'k'B",
    "./okE", "echo", "echo", "printf %s", "test", "[ x ] && okB", "true", "$'okB'", "git version", "git",
    "find sub", "cat", "cd sub &&", "xargs okB", "env okB", "bash -c okA",
)
_PREFIXES = (
    "", "", "", "", "", "", "", "", "timeout 5 ", "time ", "env ", "command ", "echo x | xargs ", "nice ",
)
_GROUPS = (
    "(%s)", "{ %s\n}", "! %s", "if okA; then %s\nfi", "if ! okA\nthen okA\nelse %s\nfi", "( %s )",
)
_SUBSTITUTIONS = (
    "okB $(%s)", 'okB "$(%s)"', "okB `%s`", "okB <(%s)", 'echo "a $(%s) b"',
)
_SEPARATORS = (
    "; ", " && ", " || ", " | ", "\n", " |& ", " & ", ";", "&&", "|", " &&\n",
)
_TAILS = (
    "", "", "", "", ";", " &", "\n", " # evil", " #", "; # ;evil\n", " \\\n",
)
_FRAMES = (
    "%s", "%s", "%s", "%s", "%s", "%s", "okA; %s", "okA && %s", "(%s)", "{ %s\n}", "okB $(%s)",
    'okB "$(%s)"', "if okA; then %s\nfi", "%s | okA", "%s >/dev/null 2>&1", "okA\n%s", "okB '%s'", "# %s",
    "okB # %s", "okB \\\n%s", "timeout 5 %s", "! %s",
)
_READERS = (
    "cat", "cat", "cat", "cat -", "wc -l", "sort", "sort -", "cat - -", "timeout 5 cat", "! cat", "wc x -",
    "git hash-object --stdin", "git commit -F -", "okS", "bash", "okB", "xargs okB", "grep x", "(cat",
    "okB $(cat", 'okB "$(cat', "okB `cat", "(cat",
)
"""What a here-document is given to."""
_STARTS = ("<<'E'", '<<"E"', "<<\\E", "<<E", "<<-'E'", "<< 'E'", "<<'E'x", "3<<'E'", "<<E'x'", "<<$'E'")
_BEHIND = (
    "", "", "", " | wc -l", " | okS", " | cat", "|sort", " && okA", "; okB x", " |", " # x", " | (okS)",
    " | { okS; }", " | ! okS", " &", " >/dev/null", " 2>&1", ")", " \\", " | bash -s", " evil", " |& okS",
    " | cat `okS`", ' | wc "$(okS)"', " `okS`", " | cat $(okA; okS)",
)
_BODIES = (
    "evil", "evil", "x", "$(evil)", "`evil`", "$HOME", "E ", " E", "\tE", "E;evil", "Ex", "'", '"', "\\", ")",
    "EE", "", "$(", "é", "E)", "E$(evil) )", "E; evil )", "E `evil` )", "); evil; (:", "it's", "# )",
    "); evil",
)
_AFTER = (
    "", "", "", "\nokA", "\nokB x", "\nevil", "\nokS", "\n)", ")", "; evil", "\nfi", '\n)"', "\n`",
    '\n) | cat "$(okS)"', "\n) | cat `okS`", '\n)" | wc "$(cat)$(okS)"', "\n) | cat $(timeout 5 okS)",
)
_TESTS = (
    "-f", "-n", "-d", "x", "'x y'", '"x"', "==", "!=", "=", "&&", "||", "!", "$HOME", '"$HOME"', "in.txt",
    "''", "-nt", "x-y", "-v", "-R", "-eq", "=~", "<", ">", "(", ")", "$(evil)", "`evil`", "<(evil)",
    "a[$(evil)]", "'a[$(evil)]'", "*", "]]", "[[", "\n", "1", "${X:-$(evil)}", "$((1))", "evil", "; evil;",
    "&", "|",
)
"""The first 18 are what is understood."""
# fmt: on


class CommandLines:
    """An endless stream of lines, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._pick = self._random.choice

    def line(self) -> str:
        kind = self._random.random()
        if kind < 0.2:
            return self._with_document() if kind < 0.12 else self._with_test()
        if kind < 0.4:
            return self._list(2)
        if kind < 0.6:
            return self._woven()
        return self._mutated(self._list(1) if kind < 0.85 else self._woven())

    def _list(self, depth: int) -> str:
        parts = [self._statement(depth)]
        for _ in range(self._pick((0, 0, 0, 1, 1, 2))):
            parts += (self._pick(_SEPARATORS), self._statement(depth))
        return "".join((*parts, self._pick(_TAILS)))

    def _statement(self, depth: int) -> str:
        shape = self._random.random()
        if depth and shape < 0.28:
            frame = self._pick(_GROUPS if shape < 0.16 else _SUBSTITUTIONS)
            return frame % self._list(depth - 1)
        return self._pick(_PREFIXES) + self._command()

    def _command(self) -> str:
        words = [self._pick(_NAMES), *(self._pick(_WORDS) for _ in range(self._pick((0, 1, 1, 2, 3))))]
        if self._random.random() < 0.25:
            words.insert(self._random.randint(1, len(words)), self._pick(_HARMLESS_REDIRECTS))
        return self._pick((" ", " ", " ", "  ", "\t", " \\\n ")).join(words)

    def _with_document(self) -> str:
        body = "\n".join(self._pick(_BODIES) for _ in range(self._pick((0, 1, 1, 2, 3))))
        head = f"{self._pick(_READERS)} {self._pick(_STARTS)}{self._pick(_BEHIND)}"
        line = f"{head}\n{body}\nE{self._pick(_AFTER)}"
        return self._mutated(line) if self._random.random() < 0.4 else line

    def _with_test(self) -> str:
        known = self._random.random() < 0.6
        words = " ".join(
            self._pick(_TESTS[:18] if known else _TESTS) for _ in range(self._pick((1, 2, 2, 3, 3, 5)))
        )
        line = f"[[ {words} ]]{self._pick(_SEPARATORS)}{self._list(1)}"
        frame = self._pick(("%s", "%s", "! %s", "if %s; then okA; fi", "(%s)", "okA; %s"))
        return self._mutated(frame % line) if self._random.random() < 0.3 else frame % line

    def _woven(self) -> str:
        return self._pick(_FRAMES) % self._pick(_LIVE)

    def _mutated(self, line: str) -> str:
        for _ in range(self._pick((1, 1, 1, 2, 2, 3))):
            at = self._random.randint(0, len(line))
            change = self._random.random()
            if change < 0.6:
                line = line[:at] + self._pick(_TRICKY) + line[at:]
            elif change < 0.8:
                line = line[:at] + line[at + self._random.randint(1, 3) :]
            elif change < 0.9:
                line = line[:at] + self._pick(_TRICKY) + line[at + 1 :]
            else:
                line = line[:at] + self._pick(_LIVE) + line[at:]
        return line
