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
  const start = (words: readonly string[], input: readonly string[] = []) => {
    const gone = new AbortController();
    const shown = { out: "", err: "", code: undefined as number | undefined };
    const streams = {
      stdin: (async function* () {
        for (const text of input) yield Buffer.from(text);
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
    const ended = runProgram({ pod, container: "c", words, isTerminal: false, streams, commands });
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
