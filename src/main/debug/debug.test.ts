import { afterEach, describe, expect, test } from "vitest";
import { openSharedStore, type SharedStore } from "../../../test/server/shared-store.fixture.ts";
import { createManualClock } from "../../base/clock.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { profileSecondsMax, profileSecondsUsual, readSeconds } from "./inspector.ts";

let store: SharedStore | undefined;
afterEach(() => store?.close());

async function openProfiled(profiling: boolean) {
  const clock = createManualClock(1_700_000_000_000);
  store = openSharedStore();
  const { fetch, server } = await store.open({ clock, profiling, authorization: "RBAC" });
  const jane = createMemoryFetch(server.handler, {
    user: { name: "jane", uid: "", groups: ["system:authenticated"], extra: new Map() },
  });
  return { clock, fetch, jane };
}

const paths = [
  "/debug/",
  "/debug/pprof",
  "/debug/pprof/",
  "/debug/pprof/profile?seconds=1",
  "/debug/pprof/heap?seconds=1",
  "/debug/pprof/heapsnapshot",
  "/debug/heap",
  "/debug/event-loop",
];

describe("pages below /debug/", () => {
  test("do not exist unless --profiling is on", async () => {
    const { fetch } = await openProfiled(false);
    for (const path of paths) expect((await fetch(path)).status, path).toBe(404);
  });

  test("require a right to their path", async () => {
    const { jane } = await openProfiled(true);
    for (const path of paths) expect((await jane(path)).status, path).toBe(403);
  });

  test("are listed in the index; other paths are 404, and nothing is listed at /", async () => {
    const { fetch } = await openProfiled(true);
    for (const path of ["/debug/", "/debug/pprof", "/debug/pprof/"]) {
      expect(await (await fetch(path)).text()).toMatch(/\/debug\/pprof\/profile\n.*\n\/debug\/pprof\/heap\n/);
    }
    for (const path of ["/debug/pprof/cmdline", "/debug/flags/v", "/debug/requests"]) {
      expect((await fetch(path)).status, path).toBe(404);
    }
    expect((await fetch("/debug/heap", { method: "POST" })).status).toBe(405);
    const { paths: listed } = (await (await fetch("/")).json()) as { paths: string[] };
    expect(listed.filter((path) => path.startsWith("/debug"))).toEqual([]);
  });

  test("profiles are taken one at a time, for the requested time, in the format that tools open", async () => {
    const { fetch, clock } = await openProfiled(true);
    const cases = [
      { path: "/debug/pprof/profile", has: ["nodes", "samples", "timeDeltas"], file: "orch.cpuprofile" },
      { path: "/debug/pprof/heap", has: ["head", "samples"], file: "orch.heapprofile" },
    ];
    for (const { path, has, file } of cases) {
      const taking = fetch(`${path}?seconds=20`);
      const isTaken = async () => (await fetch("/debug/pprof/heapsnapshot")).status === 429;
      while (!(await isTaken())) await new Promise((wake) => setImmediate(wake));
      clock.advance(20_000);
      const answer = await taking;
      expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
        200,
        `attachment; filename="${file}"`,
      ]);
      const profile = (await answer.json()) as object;
      for (const name of has) expect(profile).toHaveProperty(name);
    }
  });

  test("memory and the event loop are shown as numbers", async () => {
    const { fetch } = await openProfiled(true);
    expect(await (await fetch("/debug/heap")).json()).toMatchObject({
      process: { rss: expect.any(Number) },
      heap: { used_heap_size: expect.any(Number) },
      spaces: expect.arrayContaining([expect.objectContaining({ space_name: "old_space" })]),
    });
    expect(await (await fetch("/debug/event-loop")).json()).toMatchObject({
      delayMs: { max: expect.any(Number), percentiles: { 50: expect.any(Number), 99.9: expect.any(Number) } },
      utilization: expect.any(Number),
    });
  });
});

describe("?seconds=", () => {
  test.each([
    { target: "/p", seconds: profileSecondsUsual },
    { target: "/p?seconds=", seconds: profileSecondsUsual },
    { target: "/p?seconds=1", seconds: 1 },
    { target: `/p?seconds=${profileSecondsMax}`, seconds: profileSecondsMax },
  ])("$target is $seconds", ({ target, seconds }) => expect(readSeconds(target)).toBe(seconds));
  test.each(["0", "-1", "1.5", "x", String(profileSecondsMax + 1), "99999999999"])("%s is refused", (text) => {
    expect(() => readSeconds(`/p?seconds=${text}`)).toThrow(/must be a whole number from 1 to 300/);
  });
});

test("a client that leaves ends its profile", async () => {
  const { fetch, clock } = await openProfiled(true);
  const leave = new AbortController();
  const taking = fetch("/debug/pprof/profile?seconds=300", { signal: leave.signal }).catch(() => undefined);
  const isBusy = async () => (await fetch("/debug/pprof/heapsnapshot")).status === 429;
  while (!(await isBusy())) await new Promise((wake) => setImmediate(wake));
  leave.abort();
  await taking;
  // The next one is taken as soon as nothing takes the other. A snapshot of the heap of many tests would take half a minute.
  const pass = setInterval(() => clock.advance(1_000), 1);
  while ((await fetch("/debug/pprof/profile?seconds=1")).status === 429);
  clearInterval(pass);
});
