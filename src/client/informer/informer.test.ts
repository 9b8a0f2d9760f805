import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { seededRandom } from "../../base/seeded-random.ts";
import { createServer } from "../../main/library.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createClient } from "../client.ts";
import type { AnyObject, Fetch } from "../contract.ts";
import { describeInformers } from "./informer.suite.ts";
import { createInformers } from "./informers.ts";

const clientOf = (fetch: Fetch) => createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });

interface Faults {
  /** How the lines of a watch are changed. */
  lines?(line: string): readonly string[];
  /** Whether a request fails before it is sent. */
  fails?(path: string): boolean;
  /** Whether a watch fails because its version has expired. */
  expires?(path: string): boolean;
}

/** A fetch that breaks watches and requests as `faults` says. */
function withFaults(
  fetch: Fetch,
  { lines = (line) => [line], fails = () => false, expires = () => false }: Faults,
): Fetch {
  return async (path, init) => {
    if (fails(path)) throw new Error("the connection was broken off");
    const isWatch = path.includes("watch=true");
    if (isWatch && expires(path)) {
      const status = {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason: "Expired",
        code: 410,
        message: "too old",
      };
      return new Response(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
    }
    const response = await fetch(path, init);
    if (!isWatch || response.body === null) return response;
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    let rest = "";
    const changed = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const parts = (rest + decoder.decode(chunk)).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          for (const line of lines(part)) {
            if (line === "end") return controller.terminate();
            controller.enqueue(encoder.encode(`${line}\n`));
          }
        }
      },
    });
    return new Response(response.body.pipeThrough(changed), { status: response.status });
  };
}

/** Writes a history while an informer follows through `faults`, and waits until its copy is what the server has. */
async function follows(faults: Faults): Promise<{ heard: Map<string, number> }> {
  const server = await createServer({ controllers: false });
  const client = clientOf(server.fetch).of(ConfigMap);
  const informers = createInformers({
    client: clientOf(withFaults(server.fetch, faults)),
    clock: systemClock,
    log: silentLog,
  });
  const informer = informers.of(ConfigMap, { namespace: "default" });
  const heard = new Map<string, number>();
  const count = (name = "", by: number) => heard.set(name, (heard.get(name) ?? 0) + by);
  informer.on({ add: ({ metadata }) => count(metadata.name, 1), delete: ({ metadata }) => count(metadata.name, -1) });
  await informer.synced;
  const ref = (name: string) => ({ namespace: "default", name });
  for (let at = 0; at < 40; at++) {
    const name = `m${at % 8}`;
    if (at % 5 === 4) await client.delete(ref(`m${(at + 3) % 8}`)).catch(() => undefined);
    await client
      .create({ metadata: ref(name), data: { at: String(at) } })
      .catch(() => client.patch(ref(name), { data: { at: String(at) } }));
  }
  await client.create({ metadata: ref("last") });
  const { items } = await client.list({ namespace: "default" });
  const state = (all: readonly ConfigMap[]) =>
    all.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
  while (JSON.stringify(state(informer.list())) !== JSON.stringify(state(items)))
    await new Promise((resolve) => setTimeout(resolve, 10));
  await informers.close();
  await server.close();
  return { heard };
}

describe("an informer ends with the state of the server", () => {
  const random = seededRandom(7);
  const sometimes = (chance: number) => random() < chance;
  const cases: Readonly<Record<string, Faults>> = {
    "when nothing goes wrong": {},
    "when watches are cut off": { lines: (line) => (sometimes(0.2) ? [line, "end"] : [line]) },
    "when events come twice": { lines: (line) => (sometimes(0.5) ? [line, line] : [line]) },
    "when watches are cut off before an event": { lines: (line) => (sometimes(0.2) ? ["end"] : [line]) },
    "when its version has expired": {
      expires: () => sometimes(0.3),
      lines: (line) => (sometimes(0.2) ? ["end"] : [line]),
    },
    "when requests fail": {
      fails: (path) => path.includes("watch=true") && sometimes(0.3),
      lines: (line) => (sometimes(0.2) ? ["end"] : [line]),
    },
    "when a watch sends invalid JSON": { lines: (line) => (sometimes(0.1) ? ["{", "end"] : [line]) },
  };
  for (const [why, faults] of Object.entries(cases)) {
    test(why, async () => {
      const { heard } = await follows(faults);
      // Every object that is there was added once more often than it was deleted, every other as often.
      expect([...heard.values()].every((count) => count === 0 || count === 1)).toBe(true);
    });
  }
});

test("repeated old events do not restore deleted objects", async () => {
  const past: string[] = [];
  const { heard } = await follows({
    lines(line) {
      past.push(line);
      return [line, ...past.slice(0, 3)];
    },
  });
  expect(heard.get("last")).toBe(1);
});

describe("what keeps an informer from reading its resource is reported once, until it reads again", () => {
  const statusOf = (reason: string, code: number) =>
    new Response(
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: reason }),
      {
        status: code,
      },
    );
  const cases = [
    { why: "at the first refusal", failures: 2, fail: async () => statusOf("Forbidden", 403) },
    { why: "when the server does not have it", failures: 2, fail: async () => statusOf("NotFound", 404) },
    {
      why: "after a few broken connections",
      failures: 5,
      fail: async (): Promise<Response> => {
        throw new Error("broken off");
      },
    },
    {
      why: "and never for a single broken connection",
      failures: 1,
      isQuiet: true,
      fail: async (): Promise<Response> => {
        throw new Error("broken off");
      },
    },
  ];
  for (const { why, failures, fail, isQuiet = false } of cases)
    test(why, async () => {
      const server = await createServer({ controllers: false });
      let left = failures;
      const lines: string[] = [];
      const log = {
        ...silentLog,
        warn: (message: string) => lines.push(message),
        info: (message: string) => lines.push(message),
      };
      const client = clientOf((path, init) => (left-- > 0 ? fail() : server.fetch(path, init)));
      const informers = createInformers({ client, clock: systemClock, log, random: () => 0 });
      const errors: unknown[] = [];
      const informer = informers.of(ConfigMap, { namespace: "default" });
      informer.on({ error: (error) => errors.push(error) });
      await informer.synced;
      await clientOf(server.fetch)
        .of(ConfigMap)
        .create({ metadata: { namespace: "default", name: "late" } });
      await expect.poll(() => informer.get("default/late")).toBeDefined();
      expect(lines).toEqual(
        isQuiet ? [] : ["a resource cannot be read; it is tried again", "a resource can be read again"],
      );
      expect(errors).toHaveLength(isQuiet ? 0 : 1);
      await informers.close();
      await server.close();
    });
});

test("informers that start together on a server without watch lists all list at once", async () => {
  const server = await createServer({ controllers: false });
  const lines: string[] = [];
  const log = { ...silentLog, debug: (message: string) => lines.push(message) };
  const informers = createInformers({ client: clientOf(server.fetch), clock: systemClock, log, listsByWatch: true });
  const kinds = [ConfigMap, Secret, Pod].map((kind) => informers.of<AnyObject>(kind));
  await Promise.all(kinds.map(({ synced }) => synced));
  expect(lines).toEqual(["the server has no watch lists"]);
  await informers.close();
  await server.close();
});

test("an informer that is closed while it lists reads no further chunk", async () => {
  let chunks = 0;
  let read = () => {};
  const begun = new Promise<void>((resolve) => {
    read = resolve;
  });
  const listing = async () => {
    chunks++;
    if (chunks === 3) read();
    const metadata = chunks < 50 ? { continue: "more" } : { resourceVersion: "1" };
    return Response.json({ kind: "ConfigMapList", apiVersion: "v1", metadata, items: [] });
  };
  const informers = createInformers({ client: clientOf(listing), clock: systemClock, log: silentLog });
  informers.of(ConfigMap);
  await begun;
  await informers.close();
  expect(chunks).toBe(3);
});

describeInformers("over requests", async () => {
  const server = await createServer({ controllers: false });
  return { client: clientOf(server.fetch), close: () => server.close() };
});
