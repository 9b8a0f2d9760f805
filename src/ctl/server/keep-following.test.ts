/** Watches that the server ends: `get -w`, `watch` and `events -w` go on, and show nothing twice. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { openSession, type RunOptions, type Session } from "../session.suite.ts";
import { againMsMax } from "./keep-following.ts";

type Fetch = NonNullable<RunOptions["fetch"]>;

/** A way to the server that can be cut: watches end, and new requests are refused until it is mended. */
class Line {
  readonly requests: string[] = [];
  readonly #server: Fetch;
  #cut = new AbortController();
  #fails: (() => Promise<Response>) | undefined;

  constructor({ server }: Session) {
    this.#server = (path, init) => server.fetch(path, init);
  }

  readonly fetch: Fetch = async (path, init) => {
    this.requests.push(path);
    if (this.#fails !== undefined) return this.#fails();
    const signal = AbortSignal.any([this.#cut.signal, ...(init?.signal ? [init.signal] : [])]);
    return this.#server(path, path.includes("watch=true") ? { ...init, signal } : init);
  };

  /** Ends all watches. */
  end(): void {
    this.#cut.abort();
    this.#cut = new AbortController();
  }

  /** The answer to every request until `mend`. */
  fail(answer: () => Promise<Response>): void {
    this.#fails = answer;
    this.end();
  }

  mend(): void {
    this.#fails = undefined;
  }
}

const refused = async (): Promise<Response> => {
  throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", address: "127.0.0.1", port: 1 });
};

const expired = async (): Promise<Response> =>
  Response.json(
    { kind: "Status", status: "Failure", reason: "Expired", code: 410, message: "too old resource version" },
    { status: 410 },
  );

describe.each(["1.21", "1.35"] as const)("at a server of %s", (emulatedVersion) => {
  let session: Session;
  let line: Line;
  let stop: AbortController;
  let shown: string;

  beforeEach(async () => {
    session = await openSession("ctl", { emulatedVersion });
    line = new Line(session);
    stop = new AbortController();
    shown = "";
    for (const name of ["kept", "changed", "gone", "replaced"]) await session.ok(`create configmap ${name}`);
  });
  afterEach(async () => {
    stop.abort();
    await session[Symbol.asyncDispose]();
  });

  const start = (command: string) =>
    session.run(command, {
      fetch: line.fetch,
      signal: stop.signal,
      onOut(text) {
        shown = text;
      },
    });

  /** Event types and names, in order, of what was shown after the state. */
  const events = () =>
    [...shown.matchAll(/(ADDED|MODIFIED|DELETED) +(?:configmap\/)?(\w+)/g)].map((row) => `${row[1]} ${row[2]}`);

  const changeAll = async () => {
    await session.ok("label configmap changed a=b");
    await session.ok("delete configmap gone replaced");
    await session.ok("create configmap replaced");
    await session.ok("create configmap later");
  };

  const isUnknown = (event: string) => !/^ADDED (kept|changed|gone|orch)/.test(event);

  test("get -w goes on where it was when the server ends the watch, without reading the state again", async () => {
    const running = start("get configmaps -w");
    await expect.poll(() => shown).toContain("kept");
    const before = events();
    const lists = line.requests.length;
    line.end();
    await changeAll();
    await expect.poll(() => shown).toContain("later");
    expect(events().slice(before.length)).toEqual([
      "MODIFIED changed",
      "DELETED gone",
      "DELETED replaced",
      "ADDED replaced",
      "ADDED later",
    ]);
    expect(line.requests.slice(lists).every((path) => /watch=true/.test(path) && /resourceVersion=\d/.test(path))).toBe(
      true,
    );
    stop.abort();
    expect(await running).toMatchObject({ err: "" });
  });

  for (const [command, state] of [
    ["get configmaps -w", 4],
    ["watch configmaps", 0],
  ] as const)
    test(`${command} tells what changed while the server was away, and nothing twice`, async () => {
      const running = start(command);
      if (state > 0) await expect.poll(() => events().length).toBe(state);
      // Without a state to show, the first change that is shown says that the watch is open.
      else
        await expect
          .poll(async () => {
            await session.ok(`label configmap changed --overwrite n=${Math.random()}`);
            return shown;
          })
          .not.toBe("");
      const before = shown.length;
      line.fail(refused);
      await expect.poll(() => line.requests.length).toBeGreaterThan(3);
      await changeAll();
      line.mend();
      await expect.poll(() => shown).toContain("later");
      await expect.poll(() => shown).toMatch(/DELETED +(configmap\/)?gone/);
      const told = [...shown.slice(before).matchAll(/(ADDED|MODIFIED|DELETED) +(?:configmap\/)?(\w+)/g)];
      expect(told.map((row) => `${row[1]} ${row[2]}`).sort()).toEqual([
        "ADDED later",
        "ADDED replaced",
        "DELETED gone",
        "DELETED replaced",
        "MODIFIED changed",
      ]);
      stop.abort();
      expect((await running).err).toBe(
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\ntrying again until the server answers\nthe server answers again\n",
      );
    });

  test("a version that the server no longer has is followed by a new state, of which only changes are shown", async () => {
    void start("get configmaps -w");
    await expect.poll(() => events().length).toBe(4);
    let answers = 0;
    line.fail(async () => {
      answers++;
      line.mend();
      return expired();
    });
    await expect.poll(() => answers).toBe(1);
    await changeAll();
    await expect.poll(() => shown).toContain("later");
    expect(events().slice(4).filter(isUnknown)).toEqual(events().slice(4));
    expect(events().filter((event) => event === "ADDED kept")).toHaveLength(1);
  });

  test("one object that was deleted while the server was away is said to be, and shown when it is there again", async () => {
    void start("get configmap gone -w");
    await expect.poll(() => shown).toContain("gone");
    line.fail(refused);
    await expect.poll(() => line.requests.length).toBeGreaterThan(3);
    await session.ok("delete configmap gone");
    line.mend();
    await expect.poll(() => shown).toMatch(/DELETED +gone/);
    await session.ok("create configmap gone");
    await expect.poll(() => events()).toEqual(["ADDED gone", "DELETED gone", "ADDED gone"]);
  });

  test("a refusal ends the command", async () => {
    const running = start("get configmaps -w");
    await expect.poll(() => shown).toContain("kept");
    line.fail(async () =>
      Response.json({ kind: "Status", reason: "Forbidden", code: 403, message: "no longer" }, { status: 403 }),
    );
    expect(await running).toMatchObject({ code: 1, err: "Error from server (Forbidden): no longer\n" });
  });

  test("events -w goes on, and prints each Event in the chosen format", async () => {
    const event = (name: string) =>
      session.server.fetch("/api/v1/namespaces/default/events", {
        method: "POST",
        body: JSON.stringify({
          metadata: { name },
          involvedObject: { kind: "ConfigMap", name: "kept", namespace: "default" },
          reason: name,
          type: "Normal",
        }),
      });
    await event("first");
    void start("events -w -o name");
    await expect.poll(() => shown).toBe("event/first\n");
    line.end();
    await event("second");
    await expect.poll(() => shown).toBe("event/first\nevent/second\n");
  });
});

test("under the name kubectl the command ends with the watch, as kubectl does", async () => {
  await using session = await openSession("kubectl");
  await session.ok("create configmap kept");
  const line = new Line(session);
  const running = session.run("get configmaps -w", {
    fetch: line.fetch,
    onOut: () => setImmediate(() => line.end()),
  });
  expect(await running).toMatchObject({ code: 0, err: "" });
});

test("with --request-timeout a watch is not opened again", async () => {
  await using session = await openSession("ctl");
  await session.ok("create configmap kept");
  const line = new Line(session);
  const running = session.run("get configmaps -w --request-timeout=1h", {
    fetch: line.fetch,
    onOut: () => setImmediate(() => line.end()),
  });
  expect(await running).toMatchObject({ code: 0, err: "" });
});

test("a server that ends every watch at once is called again after ever longer pauses, up to a limit", async () => {
  await using session = await openSession("ctl");
  const stop = new AbortController();
  const pauses: number[] = [];
  const running = session.run("get configmaps -w", {
    signal: stop.signal,
    clock: {
      ...systemClock,
      after(ms, callback) {
        if (ms > 0) pauses.push(ms);
        const soon = setImmediate(callback);
        return () => clearImmediate(soon);
      },
    },
    fetch: async (path, init) => (path.includes("watch=true") ? new Response("") : session.server.fetch(path, init)),
  });
  await expect.poll(() => pauses.length).toBeGreaterThan(8);
  stop.abort();
  await running;
  expect(pauses.slice(0, 8)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, againMsMax, againMsMax]);
});
