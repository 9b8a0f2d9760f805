/** Informers as streams of changes. */

import { expect, expectTypeOf, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import {
  ConfigMap,
  connect,
  controller,
  type Namespaced,
  type ObjectChange,
  runControllers,
  type Stored,
} from "../../kit/orch-client.ts";
import { createServer } from "../../main/library.ts";

test("a stream has the state, then every change, and a slow reader gets one change for each object", async () => {
  await using server = await createServer({ controllers: false });
  await using client = await connect({ server });
  const maps = client.of(ConfigMap);
  await maps.create({ metadata: { name: "a", namespace: "default", labels: { app: "one" } } });
  const informers = client.informers();
  const informer = informers.of(ConfigMap, { namespace: "default" });
  await informer.synced;
  const seen: string[] = [];
  const stream = informer[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await stream.next();
    if (done) return "end";
    expectTypeOf(value).toExtend<ObjectChange<Stored<ConfigMap, Namespaced>>>();
    return `${value.type} ${value.object.metadata.name} ${value.object.data?.["n"] ?? ""}`.trim();
  };
  seen.push(await next());
  for (const n of ["1", "2", "3"]) await maps.patch("a", { data: { n } });
  await maps.create({ metadata: { name: "gone" } });
  await maps.delete("gone");
  await maps.create({ metadata: { name: "b", labels: { app: "two" } } });
  await expect.poll(() => informer.get("default/b")).toBeDefined();
  seen.push(await next(), await next());
  expect(informer.list({ selector: "app=two" }).map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(informer.list({ namespace: "other" })).toEqual([]);
  expect(() => informer.list({ selector: "a=(" })).toThrow();
  await maps.delete("a");
  seen.push(await next());
  expect(seen).toEqual(["add a", "update a 3", "add b", "delete a 3"]);
  const last = next();
  await informers.close();
  expect(await last).toBe("end");
});

test("a signal ends a stream, informers and controllers; a question without an answer throws", async () => {
  await using server = await createServer({ controllers: false });
  const client = await connect({ server, log: silentLog });
  const stop = new AbortController();
  const informers = client.informers({ signal: stop.signal });
  const read = async (signal?: AbortSignal) => {
    for await (const _ of informers.of(ConfigMap, { labelSelector: "app=none" }).changes({ signal }));
    return "ended";
  };
  const own = new AbortController();
  const reading = [read(own.signal), read()];
  own.abort();
  expect(await reading[0]).toBe("ended");
  await expect(async () => {
    for await (const _ of informers.of(ConfigMap, { labelSelector: "a=(" }));
  }).rejects.toThrow();
  const idle = controller({ for: ConfigMap, async reconcile() {} });
  const running = runControllers({ client, controllers: [idle], signal: stop.signal });
  await running.ready;
  stop.abort();
  expect(await reading[1]).toBe("ended");
  await running.ended;
});
