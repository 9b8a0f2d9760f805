import { afterEach, describe, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { MemoryFetch } from "../contract/listener.ts";
import { ask, openTestServer, type TestServer } from "../server.fixture.ts";

const servers: TestServer[] = [];
const open = async (...options: Parameters<typeof openTestServer>) => {
  const server = await openTestServer(...options);
  servers.push(server);
  return server;
};
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const base = "/apis/toys.example.com/v1/namespaces/a/gadgets";
const create = (fetch: MemoryFetch, name: string, size = 1) =>
  ask(fetch, "POST", base, { metadata: { name }, spec: { size } });

interface Event {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    /** Only a Table has them. */
    readonly columnDefinitions?: unknown[] | null;
    readonly rows?: { readonly cells: unknown[]; readonly object: Event["object"] }[];
  };
}

/** Reads events one by one; undefined: the stream has ended. */
async function watch(fetch: MemoryFetch, path: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(path, { headers, signal: abort.signal });
  const reader = response.body!.getReader();
  let buffered = "";
  return {
    response,
    abort: () => abort.abort(),
    async next(): Promise<Event | undefined> {
      for (;;) {
        const line = buffered.indexOf("\n");
        if (line >= 0) {
          const text = buffered.slice(0, line);
          buffered = buffered.slice(line + 1);
          return JSON.parse(text) as Event;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        buffered += Buffer.from(value).toString("utf8");
      }
    },
  };
}
const brief = (event: Event | undefined) => event && `${event.type} ${event.object.metadata.name}`;

describe("a watch", () => {
  test("sends the present state, then every change", async () => {
    const { fetch } = await open();
    await create(fetch, "one");
    const stream = await watch(fetch, `${base}?watch=1`);
    expect(stream.response.headers.get("content-type")).toBe("application/json");
    expect(brief(await stream.next())).toBe("ADDED one");
    await create(fetch, "two");
    expect(brief(await stream.next())).toBe("ADDED two");
    await ask(fetch, "PUT", `${base}/one`, { metadata: { name: "one" }, spec: { size: 2 } });
    expect(brief(await stream.next())).toBe("MODIFIED one");
    await ask(fetch, "DELETE", `${base}/two`);
    expect(brief(await stream.next())).toBe("DELETED two");
    stream.abort();
  });

  test("by the deprecated path sends events of one object only", async () => {
    const { fetch } = await open();
    await create(fetch, "one");
    await create(fetch, "two");
    const stream = await watch(fetch, "/apis/toys.example.com/v1/watch/namespaces/a/gadgets/two");
    expect(brief(await stream.next())).toBe("ADDED two");
    stream.abort();
  });

  test("by the deprecated path of one object refuses a field selector", async () => {
    const { fetch } = await open();
    const path = "/apis/toys.example.com/v1/watch/namespaces/a/gadgets/two?fieldSelector=metadata.name%3Dtwo";
    expect((await ask(fetch, "GET", path))[0]).toBe(400);
  });

  test("with a negative timeout ends at once", async () => {
    const { fetch } = await open();
    const stream = await watch(fetch, `${base}?watch=1&timeoutSeconds=-1`);
    expect(stream.response.status).toBe(200);
    expect(await stream.next()).toBeUndefined();
  });

  test("ends after timeoutSeconds, with a last bookmark if bookmarks are allowed", async () => {
    const clock = createManualClock(1_700_000_000_000);
    const { fetch } = await open({ clock });
    await create(fetch, "one");
    const stream = await watch(fetch, `${base}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`);
    expect(brief(await stream.next())).toBe("ADDED one");
    clock.advance(1_100);
    const last = await stream.next();
    expect([last?.type, last?.object.kind]).toEqual(["BOOKMARK", "Gadget"]);
    expect(await stream.next()).toBe(undefined);
  });

  test("sends one bookmark two seconds before its end", async () => {
    const clock = createManualClock(1_700_000_000_000);
    const { fetch } = await open({ clock });
    const stream = await watch(fetch, `${base}?watch=1&timeoutSeconds=9&allowWatchBookmarks=true`);
    clock.advance(7_000);
    expect((await stream.next())?.type).toBe("BOOKMARK");
    clock.advance(2_000);
    expect(await stream.next()).toBe(undefined);
  });

  test("ends when the server does", async () => {
    const { fetch, lifecycle } = await open();
    const stream = await watch(fetch, `${base}?watch=1`);
    lifecycle.end();
    expect(await stream.next()).toBe(undefined);
  });

  test("from a version that is too old gets 410, in the stream or at once", async () => {
    const { fetch } = await open();
    const [, created] = await create(fetch, "one");
    const { resourceVersion } = (created as Event["object"]).metadata;
    expect((await ask(fetch, "GET", `${base}?watch=1&resourceVersion=abc&timeoutSeconds=1`))[0]).toBe(400);
    const stream = await watch(fetch, `${base}?watch=1&resourceVersion=${resourceVersion}`);
    await create(fetch, "two");
    expect(brief(await stream.next())).toBe("ADDED two");
    stream.abort();
  });

  test("as a Table has its columns in the first event only", async () => {
    const { fetch } = await open();
    const accept = "application/json;as=Table;g=meta.orch.io;v=v1";
    const stream = await watch(fetch, `${base}?watch=1`, { accept });
    await create(fetch, "one");
    await create(fetch, "two");
    const columns = async () => (await stream.next())!.object.columnDefinitions;
    expect([(await columns())?.length, await columns()]).toEqual([2, null]);
    stream.abort();
  });

  test("as a Table shows a bookmark as a row of an object that has only its version", async () => {
    const { fetch } = await open();
    const accept = "application/json;as=Table;g=meta.orch.io;v=v1";
    const query = "watch=1&resourceVersion=1&timeoutSeconds=1&allowWatchBookmarks=true";
    const stream = await watch(fetch, `${base}?${query}`, { accept });
    const { type, object } = (await stream.next())!;
    const row = object.rows?.[0];
    expect([type, row?.cells, row?.object.kind]).toEqual(["BOOKMARK", ["", null], "PartialObjectMetadata"]);
    stream.abort();
  });

  test("in protobuf is sent in frames with a length", async () => {
    const { fetch } = await open();
    const response = await fetch(`${base}?watch=1`, { headers: { accept: "application/vnd.orch.protobuf" } });
    expect(response.headers.get("content-type")).toBe("application/vnd.orch.protobuf;stream=watch");
    await create(fetch, "one");
    const reader = response.body!.getReader();
    const frame = Buffer.from((await reader.read()).value!);
    expect([frame.readUInt32BE(0), frame.subarray(6, 11).toString()]).toEqual([frame.length - 4, "ADDED"]);
    await reader.cancel();
  });

  test("as YAML is refused", async () => {
    const { fetch } = await open();
    expect((await fetch(`${base}?watch=1`, { headers: { accept: "application/yaml" } })).status).toBe(406);
  });

  test("whose client disconnects is released", async () => {
    const { fetch } = await open();
    const stream = await watch(fetch, `${base}?watch=1`);
    const gauge = async () =>
      (await (await fetch("/metrics")).text()).match(/registered_watchers\{.*Gadget"\} (\d+)/)?.[1];
    expect(await gauge()).toBe("1");
    stream.abort();
    expect(await gauge()).toBe("0");
  });
});
