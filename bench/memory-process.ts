/** What many pods take in the cache, part by part, in a process of its own: each part is added alone and measured after a collection. */

import { Pod } from "../src/api/core/v1/pod.ts";
import { createCatalog } from "../src/machinery/catalog/bind.ts";
import { plainEnvironment } from "../src/machinery/schema/environment.suite.ts";
import { createServer } from "../src/main/library.ts";
import { Change } from "../src/registry/cache/change.ts";
import { StoredEntry } from "../src/registry/cache/entry.ts";
import { WatchHistory } from "../src/registry/cache/history.ts";
import { readStored } from "../src/registry/cache/layout.ts";
import { NameIndex } from "../src/registry/cache/name-index.ts";
import { RepresentationCache } from "../src/registry/cache/representation-cache.ts";
import { replace, snapshotOf, withIndex } from "../src/registry/cache/snapshot.ts";
import { defaultLimits } from "../src/registry/limits.ts";
import { benchPod, groupsCount } from "./pod.ts";

/** Bytes that a part has added to the heap, and outside it. */
export interface Part {
  readonly name: string;
  readonly heapBytes: number;
  readonly outsideBytes: number;
}

export interface MemoryResult {
  readonly jsonBytes: number;
  readonly parts: readonly Part[];
  /** What the process has gained in all, by the system's count. */
  readonly residentBytes: number;
}

/** Argument: how many pods. Prints a MemoryResult. Needs --expose-gc. */
export async function runMemory([count = ""]: readonly string[]): Promise<void> {
  const stored = await storedPod();
  const { family } = createCatalog([Pod as never], plainEnvironment()).of(Pod);
  const parts: Part[] = [];
  const began = await used();
  let before = began;
  const part = async (name: string) => {
    const now = await used();
    parts.push({ name, heapBytes: now.heap - before.heap, outsideBytes: now.outside - before.outside });
    before = now;
  };

  const cache = new RepresentationCache();
  const read = (index: number, phase = "Pending") => readStored(family, stored(index, phase));
  const attributes = Array.from({ length: Number(count) }, (_, index) => read(index).attributes);
  await part("labels and selectable fields");
  const entryOf = (index: number, revision: number, phase?: string) => {
    const { layout, body, attributes: own } = read(index, phase);
    const known = phase === undefined ? (attributes[index] ?? own) : own;
    return new StoredEntry(layout, `default/pod-${index}`, body, BigInt(revision), known, cache);
  };
  const entries = attributes.map((_, index) => entryOf(index, index + 1));
  attributes.length = 0;
  await part("objects without these");
  let snapshot = snapshotOf(entries);
  await part("keys in order");
  const names = new NameIndex();
  for (const entry of entries) names.set(entry);
  await part("index of names");
  snapshot = withIndex(snapshot, "label group");
  await part("index of one label");
  const { historyMs: ageMs, historyEventsMax: changesMax, historyBytesMax: bytesMax } = defaultLimits;
  const history = new WatchHistory(0n, { ageMs, changesMax, bytesMax });
  for (let at = 0; at < Math.min(changesMax, entries.length); at++) {
    const previous = entries[at]!;
    const next = entryOf(at, entries.length + at + 1, "Running");
    snapshot = replace(snapshot, previous.path, previous, next);
    names.set(next);
    entries[at] = next;
    history.append(new Change(next.path, next.revision, performance.now(), next, previous), snapshot);
  }
  await part(`history of ${history.size.toLocaleString("en")} changes`);
  const jsonBytes = entries.reduce((sum, entry) => sum + entry.length, 0);
  const result: MemoryResult = { jsonBytes, parts, residentBytes: before.resident - began.resident };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Pods as a server stores them, which differ in names, labels, nodes and phase. */
async function storedPod(): Promise<(index: number, phase: string) => Buffer> {
  const server = await createServer({ controllers: false });
  const answer = await server.fetch("/api/v1/namespaces/default/pods", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(benchPod("pod-0", 0)),
  });
  const text = (await answer.text()).replace(/"resourceVersion":"\d+",/, "");
  if (answer.status !== 201) throw new Error(`the server answered ${answer.status}: ${text}`);
  await server.close();
  const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? "";
  return (index, phase) =>
    Buffer.from(
      text
        .replaceAll("pod-0", `pod-${index}`)
        .replace(uid, `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`)
        .replace('"g0"', `"g${index % groupsCount}"`)
        .replace('"node-0"', `"node-${index % 100}"`)
        .replace('"phase":"Pending"', `"phase":"${phase}"`),
    );
}

async function used() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 50));
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed, outside: arrayBuffers, resident: rss };
}
