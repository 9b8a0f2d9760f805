/** Quotas where several servers write to one store: usage is never counted twice. */

import { expect, test } from "vitest";
import { openSharedStore } from "./shared-store.fixture.ts";

test("of many creates through two servers only as many succeed as the quota allows", async () => {
  const store = openSharedStore();
  const [one, two] = [await store.open(), await store.open()];
  const base = "/api/v1/namespaces/default";
  const hard = { configmaps: "7" };
  await one.send("POST", `${base}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
  const status = { hard, used: { configmaps: "0" } };
  await one.send("PATCH", `${base}/resourcequotas/q/status`, { status }, "application/merge-patch+json");
  await expect.poll(async () => (await two.fetch(`${base}/resourcequotas/q`)).text()).toContain('"used":{');

  const codes = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { send } = index % 2 === 0 ? one : two;
      return (await send("POST", `${base}/configmaps`, { metadata: { name: `c${index}` } })).status;
    }),
  );
  expect(codes.filter((code) => code === 201).length).toBeLessThanOrEqual(7);
  const made = (await (await one.fetch(`${base}/configmaps`)).json()) as { items: unknown[] };
  const quota = (await (await one.fetch(`${base}/resourcequotas/q`)).json()) as { status: { used: object } };
  expect(made.items).toHaveLength(codes.filter((code) => code === 201).length);
  expect(quota.status.used).toEqual({ configmaps: String(made.items.length) });
  await store.close();
});

test.each(["quota", "status"])("a server that has not seen the newest %s yet reads the store first", async (what) => {
  const store = openSharedStore();
  const one = await store.open();
  let release = () => {};
  let held: Promise<void> | undefined;
  const watch = store.kv.watch.bind(store.kv);
  store.kv.watch = async function* (...args) {
    for await (const events of watch(...args)) {
      await held;
      yield events;
    }
  };
  store.kv.newest = () => undefined; // as etcd, which other processes write to
  const two = await store.open();
  const hold = () => {
    held = new Promise((resolve) => {
      release = resolve;
    });
  };
  const base = "/api/v1/namespaces/default";
  const hard = { configmaps: "0" };
  if (what === "quota") hold();
  await one.send("POST", `${base}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
  if (what !== "quota") {
    expect((await two.fetch(`${base}/resourcequotas/q`)).status).toBe(200);
    hold();
  }
  const status = { hard, used: { configmaps: "0" } };
  await one.send("PATCH", `${base}/resourcequotas/q/status`, { status }, "application/merge-patch+json");
  const creating = two.send("POST", `${base}/configmaps`, { metadata: { name: "c" } });
  setTimeout(release, 100);
  expect((await creating).status).toBe(403);
  await store.close();
});
