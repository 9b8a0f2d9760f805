/** Watches: every change once, in order and without a gap, also when a client continues on another server. */

import { request } from "node:https";
import { acknowledgedPath, acknowledgedPrefix } from "./acknowledged.ts";
import { adminToken, type Body } from "./call.ts";
import { type Cluster, eventually, pause } from "./cluster.ts";
import { revisionOf } from "./registers.ts";
import type { Server } from "./server.ts";
import type { Subject } from "./subject.ts";

interface Event {
  readonly type: string;
  readonly object: Body & { readonly code?: number };
}

/** A client that follows the collection: on one server as long as it can, or on another each time. */
interface Follower {
  readonly name: string;
  readonly home: Server | undefined;
  readonly seen: string[];
  at: bigint;
  /** When it received `at`, by Date.now(). */
  atMs: number;
  connections: number;
  /** Times at which a server had been started too late to know what came after `at`. */
  relists: number;
}

export function watchers(cluster: Cluster): Subject {
  let begin = 0n;
  const followers: Follower[] = [...cluster.servers, undefined, undefined].map((home, index) => ({
    name: home === undefined ? `roaming-${index}` : `on ${home.name}`,
    home,
    seen: [],
    at: 0n,
    atMs: 0,
    connections: 0,
    relists: 0,
  }));
  const leaving = new AbortController();
  let following: Promise<void>[] = [];
  return {
    name: "watches",
    async run(signal) {
      const list = await cluster.insist("GET", acknowledgedPath);
      begin = revisionOf(list.body);
      for (const follower of followers) moveTo(follower, begin);
      following = followers.map((follower) => keepFollowing(cluster, follower, leaving.signal));
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      await Promise.race([stopped, Promise.all(following)]);
    },
    async verify() {
      await cluster.record.catchUp();
      const changes = cluster.record.under(acknowledgedPrefix).filter(({ revision }) => revision > begin);
      const known = new Set<string>();
      for (const change of cluster.record.under(acknowledgedPrefix))
        if (change.revision <= begin) known.add(change.key);
      const expected = changes.map(({ key, revision, deleted }) => {
        const type = deleted ? "DELETED" : known.has(key) ? "MODIFIED" : "ADDED";
        if (deleted) known.delete(key);
        else known.add(key);
        return { text: `${type} ${key.slice(acknowledgedPrefix.length)} ${revision}`, revision };
      });
      const last = changes.at(-1)?.revision ?? begin;
      await eventually("all watches have delivered the last change", async () => {
        await Promise.race([Promise.all(following), pause(0)]); // a failed one ends this at once
        return followers.every(({ at }) => at >= last) || undefined;
      });
      leaving.abort();
      await Promise.all(following);
      for (const { name, seen } of followers) compare(name, seen, expected);
      const connections = followers.reduce((sum, follower) => sum + follower.connections, 0);
      const relists = followers.reduce((sum, follower) => sum + follower.relists, 0);
      return `${followers.length} watchers saw the same ${expected.length} changes over ${connections} connections, ${relists} began with a list`;
    },
  };
}

async function keepFollowing(cluster: Cluster, follower: Follower, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const server = follower.home ?? (await cluster.anyServer());
    // One that roams leaves of its own accord too, so that it is often in the middle of changes.
    const timeout = follower.home === undefined ? `&timeoutSeconds=${1 + Math.floor(cluster.random() * 3)}` : "";
    const { atMs } = follower;
    let expired: string | undefined;
    await watchOnce(server, `${acknowledgedPath}?watch=1&resourceVersion=${follower.at}${timeout}`, signal, (event) => {
      if (event.type === "ERROR" && event.object.code === 410) expired = event.object.message ?? "expired";
      else take(follower, event);
    });
    follower.connections += 1;
    if (expired !== undefined) await relist(cluster, follower, { isLate: server.startedMs > atMs, expired });
    if (!signal.aborted) await pause(50);
  }
}

/** A server may lack history from before its start, so a client lists and goes on from there; otherwise a 410 would be a gap. */
async function relist(
  cluster: Cluster,
  follower: Follower,
  { isLate, expired }: { isLate: boolean; expired: string },
): Promise<void> {
  if (!isLate) throw new Error(`${follower.name}: ${expired}`);
  const { body } = await cluster.insist("GET", acknowledgedPath);
  follower.relists += 1;
  follower.seen.push(`LISTED ${revisionOf(body)}`);
  moveTo(follower, revisionOf(body));
}

function moveTo(follower: Follower, revision: bigint): void {
  if (revision < follower.at) throw new Error(`${follower.name}: ${revision} came after ${follower.at}`);
  follower.at = revision;
  follower.atMs = Date.now();
}

function take(follower: Follower, { type, object }: Event): void {
  if (type === "ERROR") return;
  const revision = revisionOf(object);
  if (revision === follower.at) throw new Error(`${follower.name}: ${revision} came twice`);
  moveTo(follower, revision);
  follower.seen.push(`${type} ${object.metadata?.name} ${revision}`);
}

/** Resolves when the stream has ended, in whatever way; rejects when `onEvent` throws. */
export function watchOnce(
  { port }: Pick<Server, "port">,
  path: string,
  signal: AbortSignal,
  onEvent: (event: Event) => void,
): Promise<{ readonly status: number | undefined; readonly clean: boolean }> {
  return new Promise((done, fail) => {
    let status: number | undefined;
    const headers = { authorization: `Bearer ${adminToken}` };
    const options = { host: "127.0.0.1", port, path, headers, agent: false, rejectUnauthorized: false };
    const sending = request(options, (answer) => {
      status = answer.statusCode;
      let rest = "";
      answer.on("data", (chunk: Buffer) => {
        if (status !== 200) return;
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop() ?? "";
        try {
          for (const line of lines) onEvent(JSON.parse(line) as Event);
        } catch (error) {
          sending.destroy();
          fail(error);
        }
      });
      answer.on("error", () => end(false));
      answer.on("end", () => end(true));
    });
    const quit = (): void => void sending.destroy();
    const end = (clean: boolean): void => {
      signal.removeEventListener("abort", quit);
      done({ status, clean });
    };
    sending.on("error", () => end(false));
    sending.on("close", () => end(false));
    signal.addEventListener("abort", quit);
    if (signal.aborted) quit();
    sending.end();
  });
}

/** A list covers every change up to its revision. */
function compare(name: string, seen: readonly string[], expected: readonly { text: string; revision: bigint }[]): void {
  let at = 0;
  for (const line of seen) {
    const listed = line.startsWith("LISTED ") ? BigInt(line.slice("LISTED ".length)) : undefined;
    if (listed !== undefined) while (at < expected.length && expected[at]!.revision <= listed) at += 1;
    else if (line === expected[at]?.text) at += 1;
    else throw new Error(`${name} saw "${line}", but etcd has "${expected[at]?.text}"`);
  }
  if (at < expected.length) throw new Error(`${name} never saw "${expected[at]?.text}"`);
}
