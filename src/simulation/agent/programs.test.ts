import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { ContainerFiles } from "./container-files.ts";
import { runProgram, sleepMsMax } from "./programs.ts";

/** Runs a program on a clock that stands still until the test moves it. */
function start(...words: string[]) {
  const clock = createManualClock(0);
  const gone = new AbortController();
  const shown = { out: "", err: "", code: undefined as number | undefined };
  const streams = {
    stdin: (async function* () {})(),
    async stdout(data: Uint8Array) {
      shown.out += Buffer.from(data).toString();
    },
    async stderr(data: Uint8Array) {
      shown.err += Buffer.from(data).toString();
    },
    finish: async () => {},
    gone: gone.signal,
  };
  const files = new ContainerFiles();
  const ended = runProgram({
    pod: { metadata: { name: "p" } },
    container: "c",
    words,
    isTerminal: false,
    streams,
    files,
    clock,
  });
  void ended.then((code) => {
    shown.code = code;
  });
  const after = async (ms: number) => {
    clock.advance(ms);
    await new Promise((done) => setImmediate(done));
    return shown.code;
  };
  return { after, gone, ended, shown };
}

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
  left.gone.abort();
  expect(await left.ended).toBe(0);
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
