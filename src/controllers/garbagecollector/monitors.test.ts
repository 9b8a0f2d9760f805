import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { CachedObject, DiscoveredResource } from "../../client/contract.ts";
import { Discovery, type DiscoveryContent } from "../../client/discovery/discovery.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { Graph } from "./graph.ts";
import { startMonitors } from "./monitors.ts";

const toys = (version: string): DiscoveredResource => ({
  group: "example.com",
  version,
  resource: "toys",
  kind: "Toy",
  namespaced: true,
  singularName: "toy",
  verbs: ["list", "watch", "delete"],
  shortNames: [],
  categories: [],
  subresources: [],
});

const toy = (name: string): CachedObject<ApiObject> => ({
  namespace: "shop",
  name,
  revision: "1",
  labels: new Map(),
  object: () => ({ apiVersion: "example.com/v1", kind: "Toy", metadata: { namespace: "shop", name, uid: name } }),
});

/** A server with toys, of which the last version is the preferred one. */
async function withToys(use: (server: Awaited<ReturnType<typeof start>>) => Promise<void>): Promise<void> {
  const started = await start();
  await use(started);
  await started.monitors.close();
}

async function start() {
  const graph = new Graph();
  const server = { versions: ["v1"], failed: [] as DiscoveryContent["failed"], toys: [toy("ball"), toy("kite")] };
  const removed: string[] = [];
  const forgotten: string[] = [];
  /** By version: called when its state is read and its watch begins. */
  const followed = new Map<string, () => void>();
  const monitors = startMonitors({
    context: {
      client: {
        async discover() {
          const versions = server.versions.toReversed();
          const groups = [{ name: "example.com", preferred: versions[0] ?? "", versions }];
          return new Discovery({ groups, resources: versions.map(toys), failed: server.failed });
        },
        listWatch: (address) => ({
          address,
          list: async () => ({ items: server.toys, resourceVersion: "1", continue: "" }),
          watch({ signal } = {}) {
            followed.get(address.version)?.();
            const ended = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
            return {
              [Symbol.asyncIterator]: () => ({ next: () => ended.then(() => ({ done: true, value: undefined })) }),
            };
          },
        }),
      },
      clock: createManualClock(0),
      log: silentLog,
      random: () => 0,
    },
    put: (object, address) => void graph.put(object, address),
    remove(uid) {
      removed.push(uid);
      graph.remove(uid);
    },
    forget(uid) {
      forgotten.push(uid);
      graph.remove(uid);
    },
  });
  await monitors.synced;
  const untilFollowed = (version: string) => new Promise<void>((resolve) => void followed.set(version, resolve));
  return { server, graph, monitors, removed, forgotten, untilFollowed };
}

test("objects stay in the graph when another version of their resource becomes the preferred one", () =>
  withToys(async ({ server, graph, monitors, removed, forgotten, untilFollowed }) => {
    server.versions = ["v1", "v2"];
    const isFollowed = untilFollowed("v2");
    await monitors.refresh();
    await isFollowed;
    await monitors.refresh();
    expect([graph.get("ball"), graph.get("kite")].map((node) => node?.address?.version)).toEqual(["v2", "v2"]);
    expect({ removed, forgotten }).toEqual({ removed: [], forgotten: [] });
  }));

test("an object that is deleted while the version changes is removed", () =>
  withToys(async ({ server, monitors, removed, forgotten, untilFollowed }) => {
    server.versions = ["v1", "v2"];
    server.toys = [toy("kite")];
    const isFollowed = untilFollowed("v2");
    await monitors.refresh();
    await isFollowed;
    expect({ removed, forgotten }).toEqual({ removed: ["ball"], forgotten: [] });
  }));

test("a version stays the followed one while it does not answer and another one does", () =>
  withToys(async ({ server, graph, monitors, removed, forgotten }) => {
    server.versions = ["v0"];
    server.toys = [];
    server.failed = [{ groupVersion: "example.com/v1", error: new Error("no answer") }];
    expect(await monitors.refresh()).toBe(false);
    expect(await monitors.refresh()).toBe(false);
    expect(graph.get("ball")?.address?.version).toBe("v1");
    expect({ removed, forgotten }).toEqual({ removed: [], forgotten: [] });
  }));

test("objects of a resource that is missing twice are forgotten, and not removed", () =>
  withToys(async ({ server, monitors, removed, forgotten }) => {
    server.versions = [];
    expect(await monitors.refresh()).toBe(false);
    expect(forgotten).toEqual([]);
    expect(await monitors.refresh()).toBe(true);
    expect({ removed, forgotten }).toEqual({ removed: [], forgotten: ["ball", "kite"] });
  }));
