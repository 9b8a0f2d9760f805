import { describe, expect, test } from "vitest";
import { createLog, type LogWriter, logPendingMax, logTextMax } from "./log-writer.ts";

/** Keeps what was written; `take` decides how many bytes of a write are accepted, or which error it has. */
function record(take: (bytes: number, count: number) => number | NodeJS.ErrnoException = (bytes) => bytes) {
  let text = "";
  let count = 0;
  const write: LogWriter = (bytes, done) => {
    const taken = take(bytes.length, count++);
    if (typeof taken !== "number") return done(taken, 0);
    text += bytes.subarray(0, taken).toString();
    done(null, taken);
  };
  const lines = () => text.split("\n").slice(0, -1);
  return { write, lines, records: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

describe("the log of the commands", () => {
  test("writes one JSON object a line, in order", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("first", { a: 1 });
    log.warn("second", { b: 9_007_199_254_740_993n });
    log.error("third", { cause: new Error("outer", { cause: new Error("inner") }) });
    await log.flush();
    expect(out.records()).toMatchObject([
      { level: "info", a: 1, msg: "first" },
      { level: "warn", b: "9007199254740993", msg: "second" },
      { level: "error", cause: { name: "Error", message: "outer", cause: { message: "inner" } } },
    ]);
    expect(out.records()[0]!["time"]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test("requests are logged from verbosity 4 on", async () => {
    for (const [verbosity, told] of [[3, 0] as const, [4, 1] as const]) {
      const out = record();
      const log = createLog({ verbosity: verbosity, write: out.write });
      log.debug("a request");
      await log.flush();
      expect(out.lines()).toHaveLength(told);
    }
  });

  test("values of secret fields are hidden at every depth", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("x", { token: "s3cret", request: { headers: { authorization: "Bearer s3cret" } }, user: "ann" });
    await log.flush();
    expect(out.lines()[0]).not.toContain("s3cret");
    expect(out.records()[0]).toMatchObject({ token: "[hidden]", user: "ann" });
  });

  test("the milliseconds that authorization took are shown", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("x", { steps: { authorization: 3 } });
    await log.flush();
    expect(out.records()[0]).toMatchObject({ steps: { authorization: 3 } });
  });

  test("nothing that a client sends makes a second line or reaches a terminal (N29 in docs/security-rows.md)", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    const hostile = 'a\r\n{"level":"error"}\u001b[31m\u007f\u0085\u2028\u2029\u0000';
    log.info("request", { userAgent: hostile });
    await log.flush();
    expect(out.lines()).toHaveLength(1);
    expect(out.lines()[0]).toMatch(/^[\x20-\x7e]*$/);
    expect(out.records()[0]!["userAgent"]).toBe(hostile);
  });

  test("long texts are cut, and a value that contains itself does not hide the message", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("long", { path: "x".repeat(logTextMax + 1) });
    const round: Record<string, unknown> = {};
    round["self"] = round;
    log.info("round", { round });
    await log.flush();
    const [long, second] = out.records();
    expect(long!["path"]).toHaveLength(logTextMax + 1);
    expect(String(long!["path"]).endsWith("…")).toBe(true);
    expect(second).toMatchObject({ msg: "round" });
  });

  test("a slow reader gets everything", async () => {
    const out = record((bytes, count) => (count === 0 ? failure("EAGAIN") : Math.min(bytes, 7)));
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("one");
    log.info("two");
    await log.flush();
    expect(out.records().map(({ msg }) => msg)).toEqual(["one", "two"]);
  });

  test("after the reader has gone nothing is kept", async () => {
    const out = record(() => failure("EPIPE"));
    const log = createLog({ verbosity: 0, write: out.write });
    log.info("one");
    await log.flush();
    log.info("two");
    await log.flush();
    expect(out.lines()).toEqual([]);
  });

  test("lines beyond the limit of the buffer are counted", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, write: out.write });
    for (let at = 0; at < logPendingMax + 5; at++) log.info("many");
    await log.flush();
    expect(out.records()).toHaveLength(logPendingMax + 1);
    expect(out.records().at(-1)).toMatchObject({ level: "warn", count: 5 });
  });

  test("text for people is one line with key=value pairs, and the message of an error", async () => {
    const out = record();
    const log = createLog({ verbosity: 0, format: "text", write: out.write });
    log.warn("request", { method: "GET", path: "/a b", code: 403, cause: new Error("no\u001b[31m") });
    await log.flush();
    expect(out.lines()).toHaveLength(1);
    expect(out.lines()[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}request method=GET path="\/a b" code=403 cause="no\\u001b\[31m"$/,
    );
  });
});
