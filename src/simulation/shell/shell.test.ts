import { describe, expect, test } from "vitest";
import { programs } from "./programs/list.ts";
import { outcomeOf, startCommand } from "./shell.suite.ts";
import { isUnderstood } from "./understood.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: scripts
const cases: readonly (readonly [script: string, outcome: string])[] = [
  ["echo hello world", "hello world\nexit 0"],
  ["echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f\nexit 0"],
  ["echo -n a; echo b; echo -e 'x\\ty'", "ab\nx\ty\nexit 0"],
  ["true && echo yes || echo no", "yes\nexit 0"],
  ["false && echo yes || echo no", "no\nexit 0"],
  ["! true; echo $?", "1\nexit 0"],
  ["false; echo $?; exit 7", "1\nexit 7"],
  ["exit 300", "exit 44"],
  ["X=1; echo $X ${X} \"${X}2\" '$X'", "1 1 12 $X\nexit 0"],
  ["echo ${A:-none} ${B:=set} $B ${B:+more} ${#B}", "none set set more 3\nexit 0"],
  ["echo ${A?is missing}; echo no", "sh: A: is missing\nexit 2"],
  ["F=/a/b/c.txt; echo ${F##*/} ${F%/*} ${F%.txt} ${F#/a}", "c.txt /a/b /a/b/c /b/c.txt\nexit 0"],
  ["X='a   b'; echo $X; echo \"$X\"", "a b\na   b\nexit 0"],
  ["echo $(echo inner; echo two) `echo old`", "inner two old\nexit 0"],
  ["X=$(false); echo $?", "1\nexit 0"],
  ["echo $((1 + 2 * 3)) $(( (7 - 1) / 4 )) $((5 > 3 && 2 == 2))", "7 1 1\nexit 0"],
  ["i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\nexit 0"],
  ["i=0; until [ $i -ge 2 ]; do i=$((i+1)); done; echo $i", "2\nexit 0"],
  ["for x in a b 'c d'; do echo [$x]; done", "[a]\n[b]\n[c d]\nexit 0"],
  ["for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", "1\n3\nexit 0"],
  ["if [ -z '' ]; then echo empty; elif true; then echo no; else echo no; fi", "empty\nexit 0"],
  ["if false; then echo a; else echo b; fi", "b\nexit 0"],
  ["case abc in x) echo x;; a*|b) echo ab;; *) echo rest;; esac", "ab\nexit 0"],
  ['f() { echo "got $1 $#"; return 3; }; f a b; echo $?', "got a 2\n3\nexit 0"],
  ["(X=2; exit 4); echo $? ${X:-unset}", "4 unset\nexit 0"],
  ["{ echo a; echo b; } > /tmp/f; cat /tmp/f", "a\nb\nexit 0"],
  ["echo one > /tmp/f; echo two >> /tmp/f; cat < /tmp/f; wc -l < /tmp/f", "one\ntwo\n2\nexit 0"],
  ["echo x > /none/f; echo $?", "sh: can't create /none/f: No such file or directory\n1\nexit 0"],
  ["cat /none", "cat: can't open '/none': No such file or directory\nexit 1"],
  ["cat /none 2>/dev/null || echo gone", "gone\nexit 0"],
  ["cat /none >/dev/null 2>&1; echo $?", "1\nexit 0"],
  ["echo out; echo err >&2", "out\nerr\nexit 0"],
  ["echo hello | cat", "hello\nexit 0"],
  ["printf 'a\\nb\\na\\n' | grep a | wc -l", "2\nexit 0"],
  ["echo ready | grep -q ready && echo found", "found\nexit 0"],
  ["echo a b c | (read x y; echo $y)", "b c\nexit 0"],
  ["printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\nexit 0"],
  ["cat <<EOF\nhello $HOME\nEOF\necho done", "hello /root\ndone\nexit 0"],
  ["cat <<'EOF' | head -n 1\n$HOME\nx\nEOF", "$HOME\nexit 0"],
  ["touch /tmp/a /tmp/b; ls /tmp; rm -f /tmp/a; ls /tmp; echo /tmp/*", "a\nb\nb\n/tmp/b\nexit 0"],
  ["mkdir -p /data/x/y && test -d /data/x && [ ! -f /data/x ] && echo ok", "ok\nexit 0"],
  ["rm /none; rm -f /none; echo $?", "rm: /none: No such file or directory\n0\nexit 0"],
  ["cd /tmp && pwd && touch here && [ -e /tmp/here ] && echo ok", "/tmp\nok\nexit 0"],
  ['[ "$VAR" = x ] && echo same', "same\nexit 0"],
  ["printenv VAR; printenv NONE; echo $?; env | grep VAR", "x\n1\nVAR=x\nexit 0"],
  ["Y=2 sh -c 'echo $Y'; echo ${Y:-gone}", "2\ngone\nexit 0"],
  ["export Z=3; sh -c 'echo $Z $0 $1' name arg", "3 name arg\nexit 0"],
  ["set -e; false; echo no", "exit 1"],
  ["set -e; if false; then :; fi; false || true; echo yes", "yes\nexit 0"],
  ["set -u; echo $NOTHING", "sh: NOTHING: parameter not set\nexit 2"],
  ["set -x; echo a", "+ echo a\na\nexit 0"],
  ["trap 'echo bye' EXIT; echo hi; exit 3", "hi\nbye\nexit 3"],
  ["hostname; whoami; date +%s", "p\nroot\n0\nexit 0"],
  ["sleep 90; date -u +%H:%M:%S", "00:01:30\nexit 0"],
  ["sleep 1.5; sleep 1m; date +%s", "61\nexit 0"],
  ["(sleep 5; echo later) & echo first; wait; echo last", "first\nlater\nlast\nexit 0"],
  ["sleep 100 & kill $!; wait $!; echo $?", "143\nexit 0"],
  ["exec echo replaced; echo no", "replaced\nexit 0"],
  ["# a comment\necho a # more\n\necho b \\\n c", "a\nb c\nexit 0"],
  ["seq 3 | tail -n 1; seq 1 2 5", "3\n1\n3\n5\nexit 0"],
  ["nothing=nosuchcommand; $nothing; echo $?", "sh: nosuchcommand: not found\n127\nexit 0"],
  ["/bin/echo a; /usr/bin/test 1 -eq 1 && echo b", "a\nb\nexit 0"],
  ['echo "$@" $#', "0\nexit 0".replace("0\n", " 0\n")],
  ["eval 'echo $VAR'", "x\nexit 0"],
  ["command -v echo && ! command -v nosuch", "echo\nexit 0"],
  ['while read line; do echo "<$line>"; done < /etc/two', "<one>\n<two>\nexit 0"],
  [". /etc/lib; greet you", "hello you\nexit 0"],
  ["echo $$ > /dev/null; echo $((1/0)); echo no", "sh: divide by zero\nexit 2"],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: scripts

describe("a simulated shell runs", () => {
  const options = {
    environment: { VAR: "x" },
    files: { "/etc/two": "one\ntwo\n", "/etc/lib": 'greet() { echo "hello $1"; }\n' },
  };
  for (const [script, outcome] of cases)
    test(script, () => {
      expect(outcomeOf(script, options)).toBe(outcome);
    });
});

describe("a simulated shell understands", () => {
  const known = (words: readonly string[], files: Readonly<Record<string, string>> = {}) =>
    isUnderstood(words, {
      program: (name) => programs.get(name),
      files: { read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])) },
    });

  test("commands that it has, with their options", () => {
    const understood = [
      ["sleep", "300"],
      ["/bin/sh", "-c", "while true; do date; sleep 1; done"],
      ["bash", "-ec", "trap 'exit 0' TERM; sleep infinity & wait"],
      ["sh", "-c", "$CMD --option"],
      ["sh", "/scripts/run.sh"],
      ["/scripts/run.sh"],
      ["true"],
    ];
    const files = { "/scripts/run.sh": "#!/bin/sh\nset -e\necho hi\n" };
    expect(understood.filter((words) => !known(words, files))).toEqual([]);
  });

  test("nothing else: such containers run as their behaviour says", () => {
    const others = [
      ["nginx", "-g", "daemon off;"],
      ["sh", "-c", "echo start && exec nginx"],
      ["sh", "-c", "until nslookup db; do sleep 2; done"],
      ["sh", "-c", "echo $(wget -qO- http://x)"],
      ["sh", "-c", "trap 'nginx -s quit' TERM; wait"],
      ["sh", "-c", "if [[ a == b ]]; then :; fi"],
      ["sh", "-c", "echo 'open"],
      ["sh", "-c", "ls --color=always"],
      ["sh", "-c", "grep -E '(a|b)+' f"],
      ["sh", "/scripts/none.sh"],
      ["sh"],
      ["constructor"],
      ["exit", "1"],
      ["sh", "-c", `echo ${"a".repeat(70_000)}`],
      ["sh", "-c", `${"(".repeat(60)}true${")".repeat(60)}`],
    ];
    expect(others.filter((words) => known(words))).toEqual([]);
  });
});

describe("a simulated process", () => {
  test("sleeps on the clock and ends when it is over", () => {
    const { codeAt } = startCommand(["sh", "-c", "sleep 5 && exit 1"]);
    expect([codeAt(4_999), codeAt(5_000)]).toEqual([undefined, 1]);
  });

  test("ignores a signal that it does not catch if it is the first of its container, and is killed at the end", () => {
    const { codeAt, process } = startCommand(["sleep", "300"]);
    codeAt(1_000);
    process.stop(31_000);
    expect([codeAt(30_999), codeAt(31_000)]).toEqual([undefined, 137]);
  });

  test("is ended by the signal where the containers of its pod share their processes", () => {
    const { codeAt, process } = startCommand(["sleep", "300"], { spec: { shareProcessNamespace: true } });
    codeAt(1_000);
    process.stop(31_000);
    expect(codeAt(1_000)).toBe(143);
  });

  test("runs its trap when the command in the foreground has ended, or at once if it waits", () => {
    const slow = startCommand(["sh", "-c", "trap 'echo bye; exit 3' TERM; while true; do sleep 4; done"]);
    slow.codeAt(1_000);
    slow.process.stop(31_000);
    expect([slow.codeAt(3_999), slow.codeAt(4_000), slow.lines()]).toEqual([undefined, 3, ["bye"]]);
    const quick = startCommand(["sh", "-c", "trap 'exit 0' TERM INT; sleep infinity & wait"]);
    quick.codeAt(1_000);
    quick.process.stop(31_000);
    expect(quick.codeAt(1_000)).toBe(0);
  });

  test("runs the hook before the signal, within the time", () => {
    const preStop = { exec: { command: ["sh", "-c", "echo stopping; sleep 3; touch /tmp/stop"] } };
    const script = "until [ -f /tmp/stop ]; do sleep 1; done; echo stopped";
    const { codeAt, process, lines } = startCommand(["sh", "-c", script], { container: { lifecycle: { preStop } } });
    codeAt(500);
    process.stop(30_000);
    expect([codeAt(3_999), codeAt(4_000), lines()]).toEqual([undefined, 0, ["stopping", "stopped"]]);
  });
});
