"""What rules make of command lines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dsh_tui.engine.permissions.judge import judge
from dsh_tui.engine.permissions.rule import Rule
from tests.engine.permissions.bash_calls import PROJECT, bash, judged, rules

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases" / "permission-rules"


def _rows() -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    rows = []
    for name in ("s01-chains.json", "s02-spellings.json"):
        if not (CASES / name).exists():
            continue
        case = json.loads((CASES / name).read_text())
        texts = tuple(f"{effect} bash({words} *)" for effect, all_ in case["rules"].items() for words in all_)
        rows += [
            (row["command"], texts, (row["expect"], *row.get("also_acceptable", ()))) for row in case["rows"]
        ]
    return rows


@pytest.mark.parametrize(("command", "texts", "expected"), _rows())
def test_cases_are_decided_as_they_say(
    command: str, texts: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert (judged(command, *texts).decision or "ask") in expected


# fmt: off
COVERED = (
    "git log", "git log --oneline -5", "  git\tlog  ", "\ngit log\n", '"git" l\\og', "g'i't log",
    "git \\\n log", "git log && ls", "git log | ls", "git log; ls &", "git log |& ls", "(git log; ls)",
    "{ git log; }", "! ls", "ls 'a && b'", 'ls "x;y"', "ls x\\;y", "ls '$(rm x)'", "# note\nls",
    "ls # rm x", "ls a#b", "ls $'a\\nb'", "ls $X", 'ls "$HOME"', "ls *.py", "ls ~", "ls {a,b}",
    "ls $((1+2))", "ls $(git log)", 'ls "$(ls)"', "ls `ls`", "ls <(git log)", "ls >/dev/null 2>&1",
    "ls &>/dev/null", "ls 2>/dev/null x", "ls <test_rules.py", "ls 2>&-",
    "if ls; then git log; else ls; fi", "until ls; do git log; done", "time ls", "timeout 5 ls",
    "nice -n 5 ls", "timeout -k 1 5 nice ls x", "command ls", "stdbuf -oL ls", "ls HEAD~1 a..b @{0} x,y",
    "ls é 日本", "npm test",
)
# fmt: on


@pytest.mark.parametrize("command", COVERED)
def test_a_line_is_allowed_when_each_of_its_commands_is_covered(command: str) -> None:
    verdict = judged(command, "git log *", "ls *", "npm test")
    assert verdict.decision == "allow", verdict.why
    assert verdict.rule is not None


# fmt: off
NOT_COVERED = (
    "", " ", "\n", "#", "git", "gitlog", "git logger", "lsof", "npm test x", "npm", "NPM test",
    "/tmp/x/git log", "./ls", "ls; touch x", "ls && touch x", "ls | tee x", "ls & touch x", "ls\ntouch x",
    "ls |& sh", "ls $(touch x)", "ls `touch x`", 'ls "$(touch x)"', "ls <(touch x)", "ls >(touch x)",
    "A=1 ls", "PATH=. ls", "A=1", "A=$(ls) ls", "ls >x", "ls >>x", "ls &>x", "ls <>x", "ls >|x", "ls >&x",
    "ls >&٣",
    "ls </etc/passwd", "ls <$X", "> x", "ls <<<x", "ls <<E\nx\nE", "ls() { touch x; }; ls",
    "function ls { touch x; }", "alias ls=touch; ls", "for i in a; do ls; done", "case x in x) ls;; esac",
    "[[ -f x ]]", "((1))", "coproc ls", "$X", "$X ls", "l*", "{ls,x}", "~/ls", "ls 'x", "ls )", "ls $(ls",
    "ls ${X:=1}", "ls ${X@P}", "ls ${!X}", "ls $((X))", "ls $[1]", 'ls $"x"', "ls $'\\u0041'", "ls \\",
    "ls\rx", "ls\x00", "ls\x0bx", "ls\xa0x", "ls \u200b", "ls \x1b[0m", "ls \ud800", "env ls", "sudo ls",
    "nohup ls", "xargs ls", "sh -c ls", "eval ls", "exec ls", "./timeout 5 ls", "timeout $X ls",
    "timeout --what 5 ls", "time { ls; }", "export A=1; ls", "hash -p x ls; ls", "set -e; ls",
    "shopt -s extglob; ls", "ls $\\\n(x)", 'ls "$\\\n(x)"', "ls &\\\n& x", "ls" + "(" * 5000,
    "(" * 5000 + "ls", "$(" * 5000, "ls " + "x" * 200_000,
)
# fmt: on


@pytest.mark.parametrize("command", NOT_COVERED)
def test_a_line_is_left_to_the_mode_when_anything_in_it_is_not_covered(command: str) -> None:
    verdict = judged(command, "git log *", "ls *", "npm test")
    assert verdict.decision is None
    assert verdict.why.endswith(".")


# fmt: off
CHANGES_THE_SHELL = (
    "alias x=y", "export X=1", "hash -r", "enable -n ls", "eval ls", "source x", ". x", "trap ls EXIT",
    "set -e", "read x", "unset x", "declare x=1", "let x=1", "mapfile x", "exec ls", "shopt -s x",
    "printf -v PATH x", "test -v x", "[ -v x ]", "jobs -x ls", "printf $X",
)
# fmt: on


@pytest.mark.parametrize("command", CHANGES_THE_SHELL)
def test_builtins_that_change_what_others_mean_are_never_covered(command: str) -> None:
    name = command.split()[0]
    assert judged(command, f"{name} *").decision is None


@pytest.mark.parametrize(
    ("command", "too_short", "enough"),
    [
        ("git -c core.pager=x log", "git *", "git -c core.pager=x log *"),
        ("git -C /tmp log", "git *", "git -C /tmp *"),
        ("git log --output=x", "git log *", "git log --output=x"),
        ("git log --outp x", "git log *", "git log --outp *"),
        ("git bisect run x", "git bisect *", "git bisect run x"),
        ("git config a b", "git *", "git config *"),
        ("git grep -Ox y", "git grep *", "git grep -Ox *"),
        ("git rebase -x ls main", "git rebase *", "git rebase -x ls *"),
        ("find . -exec ls {} +", "find *", "find . -exec ls *"),
        ("find . -delete", "find . *", "find . -delete"),
        ("xargs ls -l", "xargs *", "xargs ls *"),
        ("sudo -u me ls", "sudo *", "sudo -u me ls *"),
        ("env A=1 ls", "env *", "env A=1 ls *"),
        ("sh -c 'ls -l'", "sh *", "sh -c 'ls -l'"),
        ("bash x.sh 1", "bash *", "bash x.sh *"),
        ("make SHELL=x all", "make *", "make SHELL=x *"),
        ("make CC='touch x;' all", "make *", "make 'CC=touch x;' *"),
        ("make '$(shell touch x)=1'", "make *", "make '$(shell touch x)=1'"),
        ("make -f x", "make *", "make -f *"),
        ("make -kf- all", "make *", "make -kf- *"),
        ("gmake -E x", "gmake *", "gmake -E x"),
        ("make --directory=/tmp/x", "make *", "make --directory=/tmp/x *"),
        ("npm test --script-shell=x", "npm test *", "npm test --script-shell=x"),
        ("npm test --node-options=x", "npm test *", "npm test --node-options=x"),
        ("python -m pytest -p x", "python -m pytest *", "python -m pytest -p *"),
        ("python -m pytest -qc x", "python -m pytest *", "python -m pytest -qc *"),
        ("pytest --basetemp=/x", "pytest *", "pytest --basetemp=/x"),
        ("python -Im pytest --pdb", "python -Im *", "python -Im pytest --pdb"),
        ("cargo test --config x", "cargo test *", "cargo test --config *"),
        ("go build -o x", "go build *", "go build -o *"),
        ("sed '1e touch x' y", "sed *", "sed '1e touch x' *"),
        ("sed -n s/x/y/e z", "sed -n *", "sed -n s/x/y/e *"),
        ("sed -ne 'w x' z", "sed *", "sed -ne 'w x' *"),
        ("sed -i s/x/y/ z", "sed *", "sed -i *"),
        ("sed -nf x y", "sed *", "sed -nf *"),
        ("uniq x y", "uniq *", "uniq x y"),
        ("xxd -r x y", "xxd *", "xxd -r x y"),
        ("tree -o x", "tree *", "tree -o *"),
        ("date -us 1", "date *", "date -us *"),
        ("git clone -c core.sshCommand=x y", "git clone *", "git clone -c core.sshCommand=x *"),
        ("git clone --conf=x y", "git *", "git clone --conf=x *"),
        ("git grep -iOx y", "git grep *", "git grep -iOx *"),
        ("git rebase -ix ls main", "git rebase *", "git rebase -ix ls *"),
        ("git submodule -q foreach x", "git submodule *", "git submodule -q foreach x"),
        ("git merge-index x -a", "git *", "git merge-index *"),
        ("git archive -o x HEAD", "git archive *", "git archive -o *"),
        ("dsh-tui plugins trust", "dsh-tui *", "dsh-tui plugins trust"),
        ("dsh-tui exec --mod full x", "dsh-tui exec *", "dsh-tui exec --mod full *"),
        ("uv run pytest", "uv run *", "uv run pytest *"),
        ("npx eslint x", "npx *", "npx eslint *"),
        ("cd /tmp", "cd *", "cd /tmp"),
        ("cd", "cd *", "cd"),
        ("while cd a; do cd a; done", "cd *", "cd a"),
        ("tar -cf x --checkpoint-action=exec=y z", "tar *", "tar -cf x --checkpoint-action=exec=y *"),
        ("sort -uo x y", "sort *", "sort -uo *"),
        ("rsync -ave x y z", "rsync *", "rsync -ave x *"),
        ("scp -F x y:z .", "scp *", "scp -F *"),
        ("sftp -b x y", "sftp *", "sftp -b *"),
        ("iconv -f l1 -o x y", "iconv *", "iconv -f l1 -o *"),
        ("history -w x", "history *", "history -w *"),
        ("git fast-export --export-marks=x HEAD", "git *", "git fast-export --export-marks=x *"),
        ("git checkout-index --prefix=/x a", "git *", "git checkout-index --prefix=/x *"),
        ("git mailsplit -o/x y", "git *", "git mailsplit -o/x *"),
        ("tee .git/hooks/x", "tee *", "tee .git/hooks/x"),
        ("sudo tee .git/x", "sudo tee *", "sudo tee .git/x"),
        ("cp x sub/.git/config", "cp *", "cp x sub/.git/config"),
        ("cp -t .DSH x", "cp *", "cp -t .DSH x"),
        ("cp -r x/.git .", "cp *", "cp -r x/.git ."),
        ("ln -s x .git/hooks/y", "ln *", "ln -s x .git/hooks/y"),
        ("mv .dsh x", "mv *", "mv .dsh x"),
        ("rm -rf .git", "rm *", "rm -rf .git"),
        ("touch .dsh-tui/x", "touch *", "touch .dsh-tui/x"),
        ("sed -i s/a/b/ .git/config", "sed -i *", "sed -i s/a/b/ .git/config"),
        ("ssh host ls", "ssh host *", "ssh host ls"),
        ("timeout 5 rm x", "timeout *", "timeout 5 rm *"),
        ("nohup ls", "nohup *", "nohup ls"),
        ("nohup bash -c 'ls -l'", "nohup bash *", "nohup bash -c 'ls -l'"),
        ("nohup git -c a=b log", "nohup git *", "nohup git -c a=b log"),
        ("sudo find . -exec rm x \\;", "sudo find *", "sudo find . -exec rm x ';'"),
        ("env nohup sudo ls", "env nohup sudo *", "env nohup sudo ls"),
        ("find . -exec sh -c 'ls -l' +", "find . -exec sh *", "find . -exec sh -c 'ls -l' *"),
    ],
)
def test_what_a_program_is_told_to_run_has_to_be_spelled_out(
    command: str, too_short: str, enough: str
) -> None:
    assert judged(command, too_short, "ls *").decision is None
    assert judged(command, enough).decision == "allow"


# fmt: off
EVERYDAY = (
    "make -j4 V=1 test", "make -kB --jobs=2", "npm test -- --prefix x", "npm run build",
    "python -m pytest -q x",
    "pytest -vv -k 'a or b' -x -n auto", "pytest -nauto -m 'not slow'", "sed -n 1,20p x",
    "sed -nE 's/a(b)/\\1/gp' x",
    "sed 's|a|b|; /x/d' y", "sed -e 1d -e '$p' x", "uniq -c x", "uniq -f 1 x", "sort -k2 -t o x",
    "go test -count=1 ./...",
    "go build -json ./x", "git clone --depth 1 x", "git grep -neTODO", "git rebase main",
    "git submodule update",
    "git archive HEAD", "cargo test --offline", "xxd -l 16 x", "date -Is", "cd sub && make test",
    "cd ./sub; ls",
    "rg -tpy -Azz x", "git -P log", "git fetch origin", "tee -a out/x.log", "cp -r *.py out", "mv a b",
    "rm -f *.pyc", "touch $X", "mkdir -p a/b", "history 5",
)
# fmt: on


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_options_need_no_rule_of_their_own(command: str) -> None:
    verdict = judged(command, *{f"{part.split()[0]} *" for part in re.split("&& |; (?=ls)", command)})
    assert verdict.decision == "allow", verdict.why


@pytest.mark.parametrize(
    "command", ["tee $X", "tee ~/.dsh-tui/settings.yaml", "cp x *", "mv x `ls`", "dd of=$X"]
)
def test_where_an_expansion_decides_what_is_written_no_rule_covers_it(command: str) -> None:
    assert judged(command, f"{command.split()[0]} *", "ls").decision is None


def test_the_programs_own_folder_is_changed_by_a_command_only_where_a_rule_is_that_command(
    tmp_path: Path,
) -> None:
    call = replace(bash(f"tee {tmp_path}/home/settings.yaml", tmp_path), kept=(tmp_path / "home",))
    assert judge(rules("tee *"), call).decision is None
    assert judge(rules(f"tee {tmp_path}/home/settings.yaml"), call).decision == "allow"
    assert judge(rules("tee *"), replace(call, kept=())).decision == "allow"


def test_a_shell_that_is_given_no_command_is_covered_by_no_rule() -> None:
    for command in ("ls | ssh -T host", "ls | bash", "ls | at now"):
        shell = command.removeprefix("ls | ")
        assert judged(command, "ls *", shell, f"{shell} *").decision is None


def test_git_in_a_repository_inside_the_workspace_is_left_to_the_mode(tmp_path: Path) -> None:
    for folder in ("nested/.git", "nested/deep", "bare/objects", "bare/refs", "plain"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bare" / "HEAD").write_text("x")

    def decision(command: str, **arguments: str) -> str | None:
        return judge(rules("cd *", "git status *", "ls *"), bash(command, tmp_path, **arguments)).decision

    for folder in ("nested", "nested/deep", "bare", "bare/refs"):
        assert decision(f"cd {folder} && git status") is None
        assert decision("git status", workdir=folder) is None
        assert decision(f"cd {folder} && ls") == "allow"
    assert decision("cd plain && git status") == "allow"
    assert decision(f"cd {tmp_path} && git status") == "allow"


def test_git_in_a_folder_that_the_line_itself_may_make_a_repository_of_is_left_to_the_mode(
    tmp_path: Path,
) -> None:
    (tmp_path / "plain").mkdir()

    def decision(command: str, **arguments: str) -> str | None:
        return judge(rules("cd *", "git *", "tar *", "ls *"), bash(command, tmp_path, **arguments)).decision

    assert decision("git clone x new && cd new/bare && git status") is None
    assert decision("git checkout x && cd plain && git status") is None
    assert decision("cd plain && tar xf ../x.tar && git status") is None
    assert decision("git checkout x && timeout 5 git status", workdir="plain") is None
    assert decision("git clone x new && git status && ls new") == "allow"
    assert decision("cd plain && ls && git add -A && git commit -m x && git push") == "allow"
    assert decision("cd plain && git checkout x && tar tf x") == "allow"


def test_a_second_step_into_a_folder_may_leave_the_workspace() -> None:
    assert judged("cd a && cd b && ls", "cd *", "ls *").decision is None
    assert judged(f"cd {PROJECT} && cd {PROJECT} && ls", "cd *", "ls *").decision == "allow"


# fmt: off
DENIED = (
    "uv run git push", "uv run --with x git push", "npx -y git push", "poetry run git push",
    "npm exec git push",
    "bundle exec git push", "hyperfine 'x' -c 'git push'", "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
    "ssh-agent git push", "git submodule -q foreach git push", "git rebase -ix 'git push' main",
    "git grep -iO'git push' x", "chronic git push", "npx --what git push",
    "git push", "git push origin main", '"git" push', "g\\it push", "git 'pu'sh", "git pu\\\nsh",
    "$'git' push", "/usr/bin/git push", "A=1 git push", "git -C /r push", "git --no-pager push",
    "git -c a=b push", "git push # x", "ls; git push", "(git push)", "{ git push; }", "! git push",
    "git push &", "ls | git push", "ls $(git push)", 'ls "`git push`"', "A=$(git push)",
    "A=(x $(git push))", "ls $((1+$(git push)))", "ls <(git push)", "> $(git push)",
    "ls <<E\n$(git push)\nE", "ls <<<$(git push)", "f() { git push; }", "case x in x) git push;; esac",
    "[[ -n $(git push) ]]", "for i in $(git push); do ls; done", "while git push; do ls; done",
    "if git push; then ls; fi", "env git push", "env -i A=1 git push", "env -S 'git push' x",
    "sudo -u x git push", "sudo --odd git push", "doas git push", "nohup git push", "nice -n 5 git push",
    "timeout 5 git push", "time git push", "stdbuf -o0 git push", "setsid git push", "chroot / git push",
    "xargs git push", "xargs -n1 -I% git push %", "parallel git push ::: 1", "find . -exec git push \\;",
    "find . -ok git push {} +", "fd x -x git push", "command git push", "builtin eval git push",
    "exec git push", "eval git push", "eval 'git pu''sh'", "trap 'git push' EXIT", "sh -c 'git push'",
    "bash -lc 'git push'", "bash -c \"sudo sh -c 'git push'\"", "su -c 'git push' x", "ssh host git push",
    "watch git push", "strace -f git push", "script -qc 'git push' x", "busybox git push",
    "flock x git push", "unshare -r git push", "systemd-run git push", "git bisect run git push",
    "git submodule foreach 'git push'", "git rebase -x 'git push' x", "coproc git push",
    "git push 'unclosed", "ls ) ; git push", "ls\r; git push",
)
# fmt: on


@pytest.mark.parametrize("command", DENIED)
def test_nothing_hides_a_denied_command(command: str) -> None:
    verdict = judged(command, "deny bash(git push *)", "allow bash", "git *", "ls *")
    assert verdict.decision == "deny", verdict.why
    assert verdict.rule == Rule.parse("deny bash(git push *)")


# fmt: off
PERHAPS_DENIED = (
    "$X push", "git $X", "git ${X} push", "git p*", "g?t push", "{git,push}", "git {push,x}",
    "$(echo git) push", '"$X"', "ls | sh", "ls |& bash -s", "eval $X", 'sh -c "$X"', "source x",
    "xargs -I% git % x", "git 'x", "[[ x =~ y ]]", "ls\x00", "xargs sh -c", "sudo $X",
    "ssh h <<'E'\ngit push\nE", "ls | ssh -T h", "at now <<'E'\ngit push\nE", "crontab x", "ls | sudo batch",
)
# fmt: on


@pytest.mark.parametrize("command", PERHAPS_DENIED)
def test_what_may_hide_a_denied_command_asks_even_where_all_is_allowed(command: str) -> None:
    assert judged(command, "deny bash(git push *)", "allow bash").decision == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git stash push",
        "git log $X",
        "echo git push",
        "ls $X *.py",
        "git pull",
        "ls <<E\nx\nE",
        "make push",
        "crontab -l",
    ],
)
def test_a_deny_rule_says_nothing_of_other_commands(command: str) -> None:
    assert judged(command, "deny bash(git push *)").decision is None


def test_deny_beats_ask_and_ask_beats_allow_in_any_order() -> None:
    texts = ["allow bash(ls *)", "ask bash(ls -l *)", "deny bash(ls -l x)"]
    for order in (texts, texts[::-1]):
        assert judged("ls", *order).decision == "allow"
        assert judged("ls -l y", *order).decision == "ask"
        assert judged("ls -l x", *order).decision == "deny"


def test_a_rule_without_a_pattern_is_about_every_command() -> None:
    assert judged("a > b; C=1 $(d)", "allow bash").decision == "allow"
    assert judged("a 'b", "allow bash").decision is None  # bash would not read it either
    assert judged("a", "allow bash", "deny bash").decision == "deny"
    assert judged("a", "allow bash(a)", "ask bash").decision == "ask"


def test_the_directory_of_a_call_counts(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "in").write_text("")
    covered = rules("ls *", "cd *", "./x", "timeout 5 *")

    def decision(command: str, workdir: object = None) -> str | None:
        return judge(covered, bash(command, tmp_path, workdir=workdir)).decision

    assert decision("ls", "sub") == decision("ls", str(tmp_path)) == decision("./x") == "allow"
    assert decision("ls", "/") is decision("ls", "..") is decision("ls", 5) is decision("ls", "a\0b") is None
    assert decision("./x", "sub") is decision("cd sub; ./x") is decision("command cd sub; ./x") is None
    assert decision("ls <in") == "allow"
    assert decision("cd sub; ls <in") is decision("ls <in", "sub/../..") is None


@pytest.mark.parametrize("arguments", [{}, {"command": None}, {"command": 5}, {"command": ["ls"]}])
def test_a_call_without_a_command_is_never_allowed(arguments: dict[str, object]) -> None:
    call = bash("")
    broken = type(call)(tool="bash", kind="execute", arguments=arguments, cwd=call.cwd)
    assert judge(rules("allow bash", "ls *"), broken).decision is None


def test_an_allow_rule_for_a_path_covers_just_that_path() -> None:
    assert judged("/usr/bin/git log", "/usr/bin/git *").decision == "allow"
    assert judged("git log", "/usr/bin/git *").decision is None
    assert judged("../permissions/x.sh", "deny bash(./x.sh)").decision == "deny"
    assert judged("sh ./x.sh", "deny bash(./x.sh)").decision == "deny"
