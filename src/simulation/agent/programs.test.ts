import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { PodProcesses } from "../containers/pod-processes.ts";
import { tasksMax } from "../shell/limits.ts";
import { sleepMsMax } from "../shell/programs/sleep.ts";
import { runProgram } from "./programs.ts";

const inputs = {
  readMs: 0,
  environments: new Map([["c", new Map([["WHERE", "here"]])]]),
  refusals: new Map(),
  volumes: new Map(),
  missingVolume: undefined,
  hasToken: false,
};

/** A container whose commands run on a clock that stands still until the test moves it. */
function openContainer() {
  const clock = createManualClock(0);
  const pod = { metadata: { name: "p", uid: "u" }, spec: { containers: [{ name: "c" }] } } as Pod; // without defaults
  const turn = () => void processes.advance(clock.now(), { left: 10_000 });
  const processes = new PodProcesses(pod, { nowMs: 0, inputs, wake: () => queueMicrotask(turn), changed: () => {} });
  const start = (
    words: readonly string[],
    input: Iterable<string> | AsyncIterable<string> = [],
    isTerminal = false,
  ) => {
    const gone = new AbortController();
    const shown = { out: "", err: "", code: undefined as number | undefined };
    const streams = {
      stdin: (async function* () {
        for await (const text of input) yield Buffer.from(text);
      })(),
      async stdout(data: Uint8Array) {
        shown.out += Buffer.from(data).toString();
      },
      async stderr(data: Uint8Array) {
        shown.err += Buffer.from(data).toString();
      },
      finish: async () => {},
      gone: gone.signal,
    };
    const commands = { forClient: async () => processes };
    const ended = runProgram({ pod, container: "c", words, isTerminal, streams, commands });
    void ended.then((code) => {
      shown.code = code;
    });
    const after = async (ms: number) => {
      await new Promise((done) => setImmediate(done));
      clock.advance(ms);
      turn();
      await new Promise((done) => setImmediate(done));
      return shown.code;
    };
    return { after, gone, ended, shown };
  };
  return { start, processes };
}

const start = (...words: string[]) => openContainer().start(words);

for (const [text, ms] of [
  ["5", 5_000],
  ["0.5", 500],
  ["2m", 120_000],
  ["1d", 86_400_000],
  ["infinity", sleepMsMax],
  ["999999999999999d", sleepMsMax],
] as const) {
  test(`sleep ${text} ends after ${ms} ms`, async () => {
    const { after } = start("sleep", text);
    expect([await after(ms - 1), await after(1)]).toEqual([undefined, 0]);
  });
}

test("sleep adds its intervals, and ends when the client is gone", async () => {
  const { after } = start("sleep", "1", "1m");
  expect([await after(60_999), await after(1)]).toEqual([undefined, 0]);
  const left = start("sleep", "infinity");
  await left.after(0);
  left.gone.abort();
  expect(await left.ended).toBe(137);
});

test("sleep refuses what is not a time", async () => {
  const refusals = [];
  for (const words of [["-1"], ["soon"], ["1e9"], []]) {
    const { ended, shown } = start("sleep", ...words);
    refusals.push([await ended, shown.err]);
  }
  expect(refusals).toEqual([
    [1, "sleep: invalid time interval '-1'\n"],
    [1, "sleep: invalid time interval 'soon'\n"],
    [1, "sleep: invalid time interval '1e9'\n"],
    [1, "sleep: missing operand\n"],
  ]);
});

test("a command whose name every object has is echoed like any other", async () => {
  const { ended, shown } = start("constructor", "x");
  expect([await ended, shown.out]).toEqual([0, "constructor x\n"]);
});

test("commands see the environment and the files of their container, and what they are sent", async () => {
  const { start } = openContainer();
  const wrote = start(["sh", "-c", "cat > /tmp/f; echo $WHERE >> /tmp/f"], ["one\n", "two\n"]);
  expect(await wrote.ended).toBe(0);
  const read = start(["cat", "/tmp/f"]);
  expect([await read.ended, read.shown.out]).toEqual([0, "one\ntwo\nhere\n"]);
});

test("a pod has only so many processes at once", async () => {
  const { start } = openContainer();
  const many = Array.from({ length: tasksMax }, () => start(["sleep", "infinity"]));
  await many[0]?.after(0);
  const refused = start(["sleep", "1"]);
  expect([await refused.ended, refused.shown.err]).toEqual([126, "can't fork: Resource temporarily unavailable\n"]);
});

/** Keys that are pressed one after the other, each when the screen ends with a text. */
async function* typing(screen: () => string, keys: readonly (readonly [keys: string, after: string])[]) {
  for (const [pressed, after] of keys) {
    await expect.poll(() => screen().endsWith(after)).toBe(true);
    yield pressed;
  }
}

/** A shell at a terminal, to which this is typed. */
function typeTo(words: readonly string[], ...keys: readonly (readonly [keys: string, after: string])[]) {
  let screen = () => "";
  const started = openContainer().start(
    words,
    typing(() => screen(), keys),
    true,
  );
  screen = () => started.shown.out;
  return started;
}

test("a shell at a terminal is typed to: it prompts, shows what is typed, and keeps its state from line to line", async () => {
  const { ended, shown } = typeTo(
    ["/bin/sh"],
    ["cd /tmp\r", "/ # "],
    ["X=1; echo $Xy\u007f\r", "/tmp # "],
    ["nosuch\r", "1\r\n/tmp # "],
    ["if true\r", "nosuch\r\n/tmp # "],
    ["\u001b[A\u001b[A\r", "if true\r\n/tmp # "],
    ["exit 3\r", "nosuch\r\n/tmp # "],
  );
  expect(await ended).toBe(3);
  const screen = shown.out.replaceAll("\b \b", "←");
  expect(screen).toContain("/ # cd /tmp\r\n/tmp # X=1; echo $Xy←\r\n1\r\n/tmp # nosuch\r\n");
  expect(shown.err).toContain("nosuch: not found\r\n");
  expect(shown.err).toMatch(/sh: .*is missing/);
  // The arrow brings lines back.
  expect(screen).toContain("if true←←←←←←←nosuch\r\n");
});

test("Ctrl and C end the command of a shell at a terminal, not the shell; Ctrl and D end the shell", async () => {
  const { ended, shown } = typeTo(
    ["sh", "-il"],
    ["sleep 1000\r", "/ # "],
    ["\u0003", "sleep 1000\r\n"],
    ["echo $?\r", "^C\r\n/ # "],
    ["half\u0003", "130\r\n/ # "],
    ["\u0004", "half^C\r\n"],
  );
  expect(await ended).toBe(0);
  expect(shown.out).toContain("sleep 1000\r\n^C\r\n/ # echo $?\r\n130\r\n/ # half^C\r\n");
});

test("a command at a terminal reads whole lines, and writes lines that begin at the left", async () => {
  const { start } = openContainer();
  const { ended, shown } = start(["cat"], ["ab\u007fc\r", "\u0004"], true);
  expect(await ended).toBe(0);
  expect(shown.out.replaceAll("\b \b", "←")).toBe("ab←c\r\nac\r\n");
});
