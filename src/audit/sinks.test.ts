import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createBatchSink } from "./batches.ts";
import type { AuditEvent } from "./contract.ts";
import { backupName, openLogFile, writeWhole } from "./log-file.ts";
import { createLogSink, logPauseMs, logUnprintedMax } from "./log-sink.ts";
import { createAuditMetrics } from "./metrics.ts";
import { membersOf, printEvent, printLegacy } from "./print.ts";
import { withTruncation } from "./truncate.ts";
import { createBlockingWebhookSink, createWebhookPost, webhookAttemptsMax } from "./webhook-sink.ts";

const inText = (members: object) => JSON.stringify(members).slice(1, -1);
const event = (id: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  stage: "ResponseComplete",
  text: inText({
    auditID: id,
    stage: "ResponseComplete",
    verb: "get",
    requestURI: '/a"b',
    user: { username: "ann", groups: ["dev"] },
    sourceIPs: ["127.0.0.1"],
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: "2021-06-01T12:00:00.123000Z",
    stageTimestamp: "2021-06-01T12:00:00.124000Z",
  }),
  requestObject: undefined,
  responseObject: undefined,
  ...more,
});
const arrival = (id: string) =>
  event(id, { stage: "RequestReceived", text: inText({ auditID: id, stage: "RequestReceived" }) });
const idOf = (one: AuditEvent) => membersOf(one).auditID;
const lost = (metrics: ReturnType<typeof createAuditMetrics>) =>
  metrics.all
    .map((metric) => metric.text())
    .join("")
    .match(/error_total\{.*\} (\d+)/)?.[1];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-audit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("an event", () => {
  test("is one line of JSON that contains objects unchanged", () => {
    const text = printEvent(event("1", { requestObject: '{"a":1}', responseObject: '{"b":2}' }), "audit.orch.io", "v1");
    expect(text).not.toContain("\n");
    expect(JSON.parse(text)).toMatchObject({
      kind: "Event",
      apiVersion: "audit.orch.io/v1",
      auditID: "1",
      requestObject: { a: 1 },
      responseObject: { b: 2 },
    });
  });
  test("of an older version has the members of that version", () => {
    const time = "2021-06-01T12:00:00Z";
    const read = JSON.parse(printEvent(event("1"), "audit.orch.io", "v1beta1"));
    expect(read).toMatchObject({
      apiVersion: "audit.orch.io/v1beta1",
      metadata: { creationTimestamp: time },
      timestamp: time,
    });
  });
  test("of v1alpha1 joins group and version of its object", () => {
    const objectRef = { resource: "deployments", name: "web", apiGroup: "apps", apiVersion: "v1" };
    const text = inText({ auditID: "1", requestReceivedTimestamp: "2021-06-01T12:00:00.123000Z", objectRef });
    const refOf = (version: "v1beta1" | "v1alpha1") =>
      JSON.parse(printEvent(event("1", { text }), "audit.orch.io", version)).objectRef;
    expect(refOf("v1alpha1")).toEqual({ resource: "deployments", name: "web", apiVersion: "apps/v1" });
    expect(refOf("v1beta1")).toEqual(objectRef);
  });
  test("is a line of text in the legacy format, with quotes escaped", () => {
    expect(printLegacy(event("1"))).toBe(
      '2021-06-01T12:00:00.124000Z AUDIT: id="1" stage="ResponseComplete" ip="127.0.0.1" method="get" user="ann" ' +
        'groups="\\"dev\\"" as="<self>" asgroups="<lookup>" namespace="<none>" uri="/a\\"b" response="200"',
    );
  });
});

describe("the log file", () => {
  const open = (more: Partial<Parameters<typeof openLogFile>[0]> = {}) => {
    const clock = createManualClock(Date.parse("2021-06-01T12:00:00Z"));
    const path = join(folder, "audit.log");
    const options = { path, bytesMax: 20, backupsMax: 0, ageMsMax: 0, compress: false, clock, log: silentLog, ...more };
    return openLogFile(options).then((file) => ({ file, clock, path }));
  };

  test("is rotated when it is full, with the time in its name, readable by its owner only", async () => {
    const { file, path } = await open();
    await file.append("0123456789\n");
    await file.append("abcdefghij\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\n");
    const backup = backupName(path, Date.parse("2021-06-01T12:00:00Z"));
    expect(readFileSync(backup, "utf8")).toBe("0123456789\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const linesIn = (place: string) =>
    readdirSync(place)
      .flatMap((name) => {
        const bytes = readFileSync(join(place, name));
        return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().split("\n");
      })
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { index: number }).index)
      .sort((a, b) => a - b);

  test("loses and cuts no line in 10,000 rotations under load, also within one millisecond (A14 in docs/security-rows.md)", async () => {
    const place = mkdtempSync(join(memory, "orch-audit-"));
    try {
      const { file, clock } = await open({ path: join(place, "audit.log"), bytesMax: 30 });
      const lines = Array.from({ length: 10_001 }, (_, index) => `${JSON.stringify({ index, text: "x".repeat(9) })}\n`);
      let appended: Promise<void>[] = [];
      for (const [index, line] of lines.entries()) {
        appended.push(file.append(line));
        if (index % 7 === 0) clock.advance(1);
        if (index % 500 === 0) appended = [Promise.all(appended).then(() => {})];
      }
      await Promise.all(appended);
      await file.close();
      expect(readdirSync(place).length).toBeGreaterThanOrEqual(10_000);
      expect(linesIn(place)).toEqual(lines.map((_, index) => index));
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }, 60_000);

  test("loses no line while old files are compressed (A14)", async () => {
    const { file, clock } = await open({ bytesMax: 60, compress: true });
    for (let index = 0; index < 60; index++) {
      clock.advance(1);
      await file.append(`${JSON.stringify({ index, text: "x".repeat(9) })}\n`);
    }
    await file.close();
    expect(linesIn(folder)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(readdirSync(folder).filter((name) => name.endsWith(".gz")).length).toBeGreaterThan(20);
  });

  test("keeps nothing of a line that does not fit on the disk, so that the next one can be read (A14)", async () => {
    const path = join(folder, "audit.log");
    const handle = await openFile(path, "a");
    await writeWhole(handle, Buffer.from("first\n"), 0);
    const full = {
      // The disk takes four bytes and is full.
      async write(data: Uint8Array, at: number) {
        if (at >= 4) throw new Error("ENOSPC");
        return await handle.write(data, at, 4);
      },
      truncate: (bytes: number) => handle.truncate(bytes),
    };
    await expect(writeWhole(full as typeof handle, Buffer.from("second\n"), 6)).rejects.toThrow("ENOSPC");
    await writeWhole(handle, Buffer.from("third\n"), 6);
    await handle.close();
    expect(readFileSync(path, "utf8")).toBe("first\nthird\n");
  });

  test("is written on when it cannot be rotated, and begun again when it was moved away", async () => {
    const { file, path } = await open();
    await file.append("0123456789\n");
    renameSync(path, join(folder, "moved"));
    await file.append("abcdefghij\n");
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\n");
    renameSync(folder, `${folder}-moved`);
    await file.append("klmnopqrst\n"); // there is no folder for a new file
    renameSync(`${folder}-moved`, folder);
    expect(readFileSync(path, "utf8")).toBe("abcdefghij\nklmnopqrst\n");
    await file.append("uvwxyz\n");
    await file.close();
    expect(readFileSync(path, "utf8")).toBe("uvwxyz\n");
  });

  test("keeps a bounded number of old files, compressed on request", async () => {
    const { file, clock } = await open({ backupsMax: 2, compress: true });
    for (let index = 0; index < 6; index++) {
      await file.append(`line ${index} ${"x".repeat(10)}\n`);
      clock.advance(1_000);
    }
    await file.close();
    const old = readdirSync(folder)
      .filter((name) => name !== "audit.log")
      .sort();
    expect(old).toHaveLength(2);
    expect(old.every((name) => name.endsWith(".log.gz"))).toBe(true);
    expect(gunzipSync(readFileSync(join(folder, old[1]!))).toString()).toContain("line 4");
  });

  test("deletes files beyond the maximum age", async () => {
    const { file, clock, path } = await open({ ageMsMax: 60_000 });
    await file.append("0123456789\n");
    await file.append("0123456789\n");
    clock.advance(120_000);
    await file.append("0123456789\n");
    await file.close();
    expect(existsSync(backupName(path, Date.parse("2021-06-01T12:00:00Z")))).toBe(false);
  });

  test("in a missing folder is refused at once", async () => {
    await expect(open({ path: join(folder, "none/audit.log") })).rejects.toThrow("ENOENT");
  });
});

describe("the log", () => {
  const full = { append: () => Promise.reject(new Error("ENOSPC")), close: async () => {} };
  const print = (one: AuditEvent) => idOf(one);

  test("writes lines in order", async () => {
    const written: string[] = [];
    const file = { append: async (text: string) => void written.push(text), close: async () => {} };
    const sink = createLogSink({ file, print, mode: "blocking", clock: systemClock, metrics: createAuditMetrics() });
    for (const id of ["1", "2", "3"]) expect(sink.write(event(id))).toBeUndefined();
    await sink.close();
    expect(written.join("")).toBe("1\n2\n3\n");
  });

  test("writes the first line at once, and those that follow together after a pause", async () => {
    const written: string[] = [];
    const clock = createManualClock(0);
    const file = { append: async (text: string) => void written.push(text), close: async () => {} };
    const sink = createLogSink({ file, print, mode: "blocking", clock, metrics: createAuditMetrics() });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    sink.write(event("1"));
    await settle();
    expect(written).toEqual(["1\n"]);
    for (const id of ["2", "3"]) sink.write(event(id));
    await settle();
    expect(written).toEqual(["1\n"]);
    clock.advance(logPauseMs);
    await settle();
    expect(written).toEqual(["1\n", "2\n3\n"]);
    sink.write(event("4"));
    await sink.close();
    expect(written.at(-1)).toBe("4\n");
  });

  test("prints events with the next write, sooner if there are many or if they hold objects", async () => {
    let printed = 0;
    const counting = (one: AuditEvent) => {
      printed++;
      return print(one);
    };
    const file = { append: async () => {}, close: async () => {} };
    const clock = createManualClock(0);
    const sink = createLogSink({ file, print: counting, mode: "blocking", clock, metrics: createAuditMetrics() });
    for (let count = 1; count < logUnprintedMax; count++) sink.write(event("1"));
    expect(printed).toBe(0);
    sink.write(event("1"));
    expect(printed).toBe(logUnprintedMax);
    sink.write(event("2"));
    sink.write(event("3", { requestObject: "{}" }));
    expect(printed).toBe(logUnprintedMax + 2);
    sink.write(event("4"));
    await sink.close();
    expect(printed).toBe(logUnprintedMax + 3);
  });

  test("on a full disk loses events, counts them, and does not block requests", async () => {
    const metrics = createAuditMetrics();
    const sink = createLogSink({ file: full, print, mode: "blocking", clock: systemClock, metrics });
    sink.write(event("1"));
    sink.write(arrival("2"));
    await sink.close();
    expect(lost(metrics)).toBe("2");
  });

  test("that is strict fails a request whose arrival cannot be written", async () => {
    const metrics = createAuditMetrics();
    const sink = createLogSink({ file: full, print, mode: "blocking-strict", clock: systemClock, metrics });
    await expect(sink.write(arrival("1"))).rejects.toThrow("could not be written");
  });
});

describe("batches", () => {
  const options = { bufferSize: 5, sizeMax: 2, waitMs: 1_000, perSecond: 0, burst: 0, concurrentMax: 1 };
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test("are sent when they are full or after their time, and the last ones on close", async () => {
    const clock = createManualClock(0);
    const batches: string[][] = [];
    const take = async (batch: readonly AuditEvent[]) => void batches.push(batch.map(idOf));
    const sink = createBatchSink("webhook", take, { ...options, clock, metrics: createAuditMetrics() });
    sink.write(event("1"));
    await settle();
    expect(batches).toEqual([]);
    sink.write(event("2"));
    await settle();
    expect(batches).toEqual([["1", "2"]]);
    sink.write(event("3"));
    clock.advance(1_000);
    await settle();
    expect(batches).toEqual([["1", "2"], ["3"]]);
    sink.write(event("4"));
    await sink.close();
    expect(batches).toEqual([["1", "2"], ["3"], ["4"]]);
  });

  test("a backend that does not answer blocks no request; events that do not fit are counted", async () => {
    const clock = createManualClock(0);
    const metrics = createAuditMetrics();
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sink = createBatchSink("webhook", () => stuck, { ...options, clock, metrics });
    for (let index = 0; index < 10; index++) expect(sink.write(event(String(index)))).toBeUndefined();
    expect(lost(metrics)).toBe("3"); // two are under way, five wait
    release();
    await sink.close();
  });

  test("that are tried again hold up no others while fewer than the maximum are under way", async () => {
    const stuck = new Promise<void>(() => {});
    const batches: string[][] = [];
    const take = (batch: readonly AuditEvent[]) => {
      batches.push(batch.map(idOf));
      return stuck;
    };
    const clock = createManualClock(0);
    const sink = createBatchSink("webhook", take, {
      ...options,
      concurrentMax: 2,
      clock,
      metrics: createAuditMetrics(),
    });
    for (let index = 0; index < 7; index++) {
      sink.write(event(String(index)));
      await settle();
    }
    expect(batches).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
  });

  test("of a backend that fails are lost and counted", async () => {
    const metrics = createAuditMetrics();
    const clock = createManualClock(0);
    const sink = createBatchSink("webhook", () => Promise.reject(new Error("no")), { ...options, clock, metrics });
    sink.write(event("1"));
    await sink.close();
    expect(lost(metrics)).toBe("1");
  });
});

describe("the webhook", () => {
  const print = (one: AuditEvent) => printEvent(one, "audit.orch.io", "v1");

  test("posts an EventList, and retries after growing pauses", async () => {
    const clock = createManualClock(0);
    const lists: unknown[] = [];
    let failures = 2;
    const post = async (list: string) => {
      lists.push(JSON.parse(list));
      if (failures-- > 0) throw new Error("busy");
    };
    const send = createWebhookPost({ post, print, apiVersion: "audit.orch.io/v1", backoffMs: 1_000, clock });
    const sending = send([event("1"), event("2")]);
    for (let step = 0; step < 4; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1_500);
    }
    await sending;
    expect(lists).toHaveLength(3);
    expect(lists[0]).toMatchObject({ kind: "EventList", items: [{ auditID: "1" }, { auditID: "2" }] });
  });

  test("gives up eventually; a request fails with it only in strict mode", async () => {
    let posts = 0;
    const clock = createManualClock(0);
    const post = async () => {
      posts++;
      throw new Error("down");
    };
    const send = createWebhookPost({ post, print, apiVersion: "audit.orch.io/v1", backoffMs: 0, clock });
    const metrics = createAuditMetrics();
    const pump = setInterval(() => clock.advance(1), 1);
    try {
      await createBlockingWebhookSink(send, false, metrics).write(arrival("1"));
      await expect(createBlockingWebhookSink(send, true, metrics).write(arrival("2"))).rejects.toThrow(
        "could not be sent",
      );
    } finally {
      clearInterval(pump);
    }
    expect([posts, lost(metrics)]).toEqual([2 * webhookAttemptsMax, "2"]);
  });
});

test("an event that is too large loses its objects, and itself if that is not enough", () => {
  const written: AuditEvent[] = [];
  const metrics = createAuditMetrics();
  const print = (one: AuditEvent) => printEvent(one, "audit.orch.io", "v1");
  const inner = { name: "log", write: (one: AuditEvent) => void written.push(one), close: async () => {} };
  const sink = withTruncation(inner, { eventBytesMax: 600, annotation: "audit.orch.io/truncated", print, metrics });
  sink.write(event("small"));
  sink.write(event("large", { requestObject: JSON.stringify("x".repeat(600)) }));
  sink.write(event("x".repeat(600)));
  expect(written.map(idOf)).toEqual(["small", "large"]);
  expect(written[1]!.requestObject).toBeUndefined();
  expect(membersOf(written[1]!).annotations).toEqual({ "audit.orch.io/truncated": "true" });
  expect(lost(metrics)).toBe("1");
});
