import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { createManualClock } from "../../base/clock.ts";
import { logBytesMax } from "../agent/log-lines.ts";
import { ContainerLog } from "./container-log.ts";
import { podBytesMax, podEntriesMax } from "./file-tree.ts";
import { KeptBytes } from "./kept-bytes.ts";
import { PodFiles } from "./pod-files.ts";
import { PodProcesses } from "./pod-processes.ts";
import {
  allFileBytesMax,
  allLogBytesMax,
  allStepsPerSecondMax,
  SimulatedCommands,
  turnStepsMax,
} from "./simulated-commands.ts";
import { messageBytesMax, messageLogBytesMax, messageLogLinesMax, terminationMessage } from "./termination-message.ts";

const container = { name: "c", command: ["sh", "-c", "date +%s; sleep 10; echo x > /tmp/f; sleep 1000"] };
const podOf = (uid: string, status: object = {}) =>
  ({ metadata: { name: uid, uid }, spec: { containers: [container] }, status }) as object as Pod;
const inputs = {
  readMs: 0,
  environments: new Map([["c", new Map<string, string>()]]),
  refusals: new Map(),
  volumes: new Map(),
  missingVolume: undefined,
  hasToken: false,
};
const meta = { mode: 0o644, changedMs: 0 };

test("files of all pods together have a limit: those that were changed longest ago go, and all of a pod with it", () => {
  const kept = new KeptBytes(10_000);
  const [a, b] = [new PodFiles(() => 0, kept), new PodFiles(() => 0, kept)];
  a.of(container, podOf("a")).put("/tmp/f", Buffer.alloc(4_000), meta);
  b.of(container, podOf("b")).put("/tmp/f", Buffer.alloc(4_000), meta);
  expect([a.of(container, podOf("a")).kind("/tmp/f"), b.of(container, podOf("b")).kind("/tmp/f")]).toEqual([
    undefined,
    "file",
  ]);
  a.clear();
  b.clear();
  expect(kept.total).toBe(0);
});

test("what all pods keep is more than any one pod may, so that no pod is emptied by its own files or logs", () => {
  expect(allFileBytesMax).toBeGreaterThanOrEqual(2 * podBytesMax);
  expect(allLogBytesMax).toBeGreaterThanOrEqual(2 * logBytesMax);
  for (const [all, one] of [
    [allFileBytesMax, podBytesMax],
    [allLogBytesMax, logBytesMax],
  ] as const) {
    const kept = new KeptBytes(all);
    let cleared = 0;
    for (let at = 0; at <= all / one; at++) kept.set({ clear: () => cleared++ }, one);
    expect([kept.total, cleared]).toEqual([all, 1]);
  }
});

test("a termination message has a limit, from the file or from the log", () => {
  const log = new ContainerLog(() => 0);
  const of = (file: string | undefined, policy = "FallbackToLogsOnError") =>
    terminationMessage(
      { name: "c", terminationMessagePolicy: policy },
      1,
      { read: () => (file === undefined ? undefined : Buffer.from(file)) },
      log,
    );
  log.write(Buffer.from("line\n".repeat(messageLogLinesMax + 20)));
  expect([of("x".repeat(5_000))?.length, of(undefined), of(undefined, "File")]).toEqual([
    messageBytesMax,
    "line\n".repeat(messageLogLinesMax),
    undefined,
  ]);
  log.write(Buffer.from(`${"y".repeat(10_000)}\n`));
  expect(of(undefined)?.length).toBe(messageLogBytesMax);
});

test("containers of a pod whose files are full end without a message", () => {
  const files = new PodFiles(() => 0, new KeptBytes(1_000_000_000));
  const log = new ContainerLog(() => 0);
  const endOf = (at: number) => {
    const one = { name: `c${at}`, command: [] };
    return terminationMessage(one, 0, files.of(one, podOf("p")), log);
  };
  const ends = Array.from({ length: podEntriesMax }, (_, at) => endOf(at)); // each has folders of its own
  expect(new Set(ends)).toEqual(new Set([undefined]));
  const last = { name: "last" };
  expect(() => files.of(last, podOf("p")).read("/f")).toThrow("No space left on device");
});

test("what ran when the agent was restarted goes on where it was by the clock", () => {
  const startedAt = "2026-01-01T00:00:00Z";
  const status = { containerStatuses: [{ name: "c", restartCount: 2, state: { running: { startedAt } } }] };
  const nowMs = Date.parse(startedAt) + 60_000;
  const processes = new PodProcesses(podOf("p", status), { nowMs, inputs, wake: () => {}, changed: () => {} });
  expect(processes.run(container, { number: 2, startedMs: Date.parse(startedAt) })).toEqual({ at: "behind" });
  expect(processes.advance(nowMs, { left: 1_000 })).toBe(true);
  expect(processes.logOf("c", 2)?.line(0)).toEqual({
    atMs: Date.parse(startedAt),
    text: String(Date.parse(startedAt) / 1_000),
  });
  expect(processes.files.of(container, podOf("p")).kind("/tmp/f")).toBe("file");
  expect(processes.run(container, { number: 2, startedMs: Date.parse(startedAt) })).toMatchObject({
    at: "known",
    end: undefined,
  });
});

test("the processes of all pods together take only so many steps in a second, each pod only some at a time", async () => {
  const clock = createManualClock(0);
  const reader = { read: async () => inputs };
  const commands = new SimulatedCommands({ clock, reader, wake: () => {}, changed: () => {} });
  const busy = { name: "c", command: ["sh", "-c", "while true; do :; done"] };
  const count = (2 * allStepsPerSecondMax) / turnStepsMax;
  const pods = Array.from(
    { length: count },
    (_, at) => ({ ...podOf(`u${at}`), spec: { containers: [busy] } }) as object as Pod,
  );
  for (const pod of pods) {
    await commands.prepare(pod);
    commands.of(pod)?.run(busy, { number: 0, startedMs: 0 });
  }
  const turned = pods.map((pod) => commands.turn(pod));
  const paused = turned.filter((one) => JSON.stringify(one) === '{"reviewInMs":100}').length;
  expect(paused).toBeGreaterThan(count / 3);
  expect(paused).toBeLessThan((2 * count) / 3);
});
