import { describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../main/library.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const post = (server: OrchServer, name: string) =>
  server.fetch(maps, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
const open = () => createServer({ controllers: false });

/** The types and names of the events of a watch, until `count` have come or it has ended. */
async function watched(server: OrchServer, count: number, work: () => Promise<unknown>, more = ""): Promise<string[]> {
  const stop = new AbortController();
  const answer = await server.fetch(`${maps}?watch=true&resourceVersion=0${more}`, { signal: stop.signal });
  const reader = answer.body?.getReader();
  const done = work();
  const found: string[] = [];
  for (let text = ""; found.length < count; ) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    text += Buffer.from(part.value).toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: { metadata: { name?: string }; code?: number };
      };
      found.push(`${type} ${object.metadata.name ?? object.code ?? ""}`);
    }
  }
  stop.abort();
  await done;
  return found;
}

describe("a fault of requests", () => {
  test("refuses the chosen ones, counts them, and ends when it is removed", async () => {
    await using server = await open();
    const storm = server.faults.add({
      match: { verb: "create", resource: "configmaps", every: 2 },
      do: { status: 409 },
    });
    const codes = [];
    for (const name of ["a", "b", "c", "d"]) codes.push((await post(server, name)).status);
    expect(codes).toEqual([201, 409, 201, 409]);
    expect([storm.hits, server.faults.all.length]).toEqual([2, 1]);
    storm.remove();
    expect((await post(server, "b")).status).toBe(201);
  });

  test("says Retry-After, and hits one user and one object alone", async () => {
    await using server = await open();
    server.faults.add({
      match: { user: "eve", name: "a", verb: ["get", "patch"] },
      do: { status: 429, retryAfterSeconds: 7 },
    });
    await post(server, "a");
    const asEve = server.fetchAs({ name: "eve" });
    const refused = await asEve(`${maps}/a`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await refused.json()).toMatchObject({ kind: "Status", reason: "TooManyRequests", code: 429 });
    expect([(await server.fetch(`${maps}/a`)).status, (await asEve(`${maps}/b`)).status]).toEqual([200, 404]);
  });

  test("after the commit reports a failure of what was written", async () => {
    await using server = await open();
    server.faults.add({ match: { verb: "create", nth: 1 }, do: { status: 504, when: "after" } });
    const lost = await post(server, "a");
    expect(lost.status).toBe(504);
    expect(await lost.json()).toMatchObject({ reason: "Timeout", code: 504 });
    expect((await post(server, "a")).status).toBe(409);
  });

  test("breaks the connection before or after the request was carried out", async () => {
    await using server = await open();
    server.faults.add({ match: { verb: "create", nth: 1 }, do: { connection: "refuse" } });
    server.faults.add({ match: { verb: "create", nth: 2 }, do: { connection: "cut" } });
    await expect(post(server, "a")).rejects.toThrow("broken off");
    await expect(post(server, "b")).rejects.toThrow("broken off");
    server.faults.clear();
    expect([(await server.fetch(`${maps}/a`)).status, (await server.fetch(`${maps}/b`)).status]).toEqual([404, 200]);
  });

  test("latency passes on the clock of the server", async () => {
    await using server = await createServer({ controllers: false, clock: "virtual" });
    server.faults.add({ match: { verb: "list" }, do: { latencyMs: 30_000 } });
    let isAnswered = false;
    const asked = server.fetch(maps).then(() => {
      isAnswered = true;
    });
    await server.clock.advance("29s");
    expect(isAnswered).toBe(false);
    await server.clock.advance("2s");
    await asked;
  });

  test("with a probability and a seed chooses the same requests again", async () => {
    const codes = async () => {
      await using server = await open();
      server.faults.add({ match: { verb: "get", probability: 0.5, seed: 42 }, do: { status: 503 } });
      const all = [];
      for (let at = 0; at < 20; at++) all.push((await server.fetch(`${maps}/x`)).status);
      return all;
    };
    const first = await codes();
    expect(new Set(first)).toEqual(new Set([404, 503]));
    expect(await codes()).toEqual(first);
  });

  test("that cannot be is refused when it is added", async () => {
    await using server = await open();
    expect(() => server.faults.add({ do: { status: 200 } })).toThrow("from 400 to 599");
    expect(() => server.faults.add({ match: { nth: 0 }, do: { status: 500 } })).toThrow("begin with 1");
    expect(() => server.faults.add({ do: {} as never })).toThrow("a fault does one of");
    const misspelled: [object, string][] = [
      [{ match: { verbs: "update" }, do: { status: 409 } }, 'no member "verbs"; did you mean "verb"?'],
      [{ match: { verb: ["get", "udpate"] }, do: { status: 409 } }, 'the verb "udpate"; did you mean "update"?'],
      [{ mach: {}, do: { status: 409 } }, 'a fault has no member "mach"; did you mean "match"?'],
      [{ do: { status: 429, retryAfter: 5 } }, 'a fault with status has no member "retryAfter"'],
      [{ do: { connection: "drop" } }, 'connection of a fault is refuse or cut, not "drop"'],
      [{ match: { user: 5 }, do: { status: 409 } }, "user of a fault is a text or a list of texts, not 5"],
      [{ match: { probability: 2 }, do: { status: 409 } }, "from 0 to 1, not 2"],
    ];
    for (const [fault, why] of misspelled) expect(() => server.faults.add(fault as never)).toThrow(why);
    expect(server.faults.all).toHaveLength(0);
  });
});

describe("a fault of watches", () => {
  const three = (server: OrchServer) => async () => {
    for (const name of ["a", "b", "c"]) await post(server, name);
  };
  test.each([
    ["drop", 2, ["ADDED a", "ADDED c"]],
    ["duplicate", 4, ["ADDED a", "ADDED b", "ADDED b", "ADDED c"]],
    ["reorder", 3, ["ADDED a", "ADDED c", "ADDED b"]],
  ] as const)("lets one event %s", async (events, count, expected) => {
    await using server = await open();
    const fault = server.faults.add({ match: { resource: "configmaps", nth: 2 }, do: { events } });
    expect(await watched(server, count, three(server))).toEqual(expected);
    expect(fault.hits).toBe(1);
  });

  test("delays an event and those behind it", async () => {
    await using server = await createServer({ controllers: false, clock: "virtual" });
    server.faults.add({ match: { nth: 1 }, do: { events: "delay", delayMs: 60_000 } });
    const seen = watched(server, 3, async () => {
      await three(server)();
      await server.clock.advance("1m");
    });
    expect(await seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  });

  test("ends a watch with 410", async () => {
    await using server = await open();
    server.faults.add({ match: { verb: "watch" }, do: { expireAfterEvents: 1 } });
    expect(await watched(server, 9, three(server))).toEqual(["ADDED a", "ERROR 410"]);
  });

  test("leaves the state alone with which a watch begins, and the bookmark that ends it", async () => {
    const initial = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    for (const action of [{ expireAfterEvents: 1 }, { bookmarks: "silent" }, { events: "drop" }] as const) {
      await using server = await createServer({ controllers: false, emulatedVersion: "1.35" });
      await three(server)();
      server.faults.add({ match: { resource: "configmaps" }, do: action });
      const seen = await watched(server, 4, async () => {}, initial);
      expect(seen).toEqual(["ADDED a", "ADDED b", "ADDED c", "BOOKMARK "]);
    }
  });

  test("silences bookmarks", async () => {
    const seen = async (isSilent: boolean) => {
      await using server = await open();
      if (isSilent) server.faults.add({ do: { bookmarks: "silent" } });
      return await watched(server, 9, three(server), "&allowWatchBookmarks=true&timeoutSeconds=1");
    };
    expect((await seen(false)).some((event) => event.startsWith("BOOKMARK"))).toBe(true);
    expect(await seen(true)).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  });
});
