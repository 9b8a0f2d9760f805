import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { followBytesMax, followersMax, LogFollowers, piecesAtOnceMax, TooManyFollowers } from "./log-followers.ts";
import { logBytesMax } from "./log-lines.ts";
import { parseLogRequest, pieceCharsMax, readLog } from "./logs.ts";

const line = "x".repeat(250_000);
const pod = {
  metadata: {
    name: "p",
    uid: "u",
    annotations: { "simulation.orch.io/logs": line, "simulation.orch.io/log-every": "10ms" },
  },
  status: {
    containerStatuses: [{ name: "c", restartCount: 0, state: { running: { startedAt: "1970-01-01T00:00:00Z" } } }],
  },
} as object as Pod;

function open(nowMs: number) {
  const clock = createManualClock(nowMs);
  const followers = new LogFollowers(clock);
  const gone = new AbortController();
  const read = (query: string) => {
    const tools = {
      clock,
      followers,
      commands: { logOf: async () => undefined },
      podNow: () => pod,
      signal: gone.signal,
    };
    return readLog(parseLogRequest(pod, "c", new URLSearchParams(query), nowMs), tools);
  };
  return { clock, read, gone };
}

test("a log of long lines is sent in small pieces, and only its newest bytes", async () => {
  const pieces: number[] = [];
  for await (const piece of open(60_000).read("")) pieces.push(piece.length);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(pieceCharsMax + 1);
  expect(pieces.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(logBytesMax);
});

test("of logs that are asked for together a few pieces are sent in each turn of the event loop", async () => {
  const { read } = open(60_000);
  let [sent, inTurn, mostInTurn] = [0, 0, 0];
  let isOver = false;
  const endTurn = () => {
    mostInTurn = Math.max(mostInTurn, inTurn);
    inTurn = 0;
    if (!isOver) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  const readers = Array.from({ length: 40 }, async () => {
    for await (const piece of read("")) {
      if (piece === "") continue;
      sent++;
      inTurn++;
    }
  });
  await Promise.all(readers);
  isOver = true;
  expect(sent).toBeGreaterThan(40 * piecesAtOnceMax);
  // What began at the end of one turn may go on in the next.
  expect(mostInTurn).toBeLessThanOrEqual(2 * piecesAtOnceMax);
});

test("those who follow logs share what is sent at a time, with gaps where a log grows faster", async () => {
  const { clock, read, gone } = open(60_000);
  const sizes = Array.from({ length: 50 }, () => 0);
  const reading = sizes.map(async (_, at) => {
    for await (const piece of read("follow=true&tailLines=0")) sizes[at]! += piece.length;
  });
  for (let second = 0; second < 5; second++) {
    await new Promise((done) => setImmediate(done));
    clock.advance(1_000);
  }
  await new Promise((done) => setImmediate(done));
  const all = sizes.reduce((sum, one) => sum + one, 0);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(all).toBeLessThanOrEqual(followBytesMax * 2 * 5);
  gone.abort();
  await Promise.allSettled(reading);
});

test("only so many logs are followed at once, and one that ends makes place", async () => {
  const { read, gone } = open(0);
  const opened = Array.from({ length: followersMax }, () => read("follow=true"));
  await Promise.all(opened.map((one) => one.next()));
  await expect(read("follow=true").next()).rejects.toBeInstanceOf(TooManyFollowers);
  await opened[0]?.return(undefined);
  expect((await read("follow=true").next()).done).toBe(false);
  gone.abort();
});
