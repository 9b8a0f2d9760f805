import { createServer } from "orch";
import { connect, Pod } from "orch/client";
import { expect, test } from "vitest";
import { podsOfNodes } from "./pods-of-nodes.ts";

test("pods are known by their nodes, also those that come and go later", async () => {
  await using server = await createServer({ controllers: false });
  await using client = await connect({ server });
  await using informers = client.informers();
  const start = (name: string, nodeName: string) =>
    client.of(Pod).create({ metadata: { name }, spec: { nodeName, containers: [{ name: "web", image: "nginx" }] } });
  await start("a", "one");
  await start("b", "two");
  const known = await podsOfNodes(informers);
  expect([known.on("one"), known.on("two"), known.count("three")]).toEqual([["a"], ["b"], 0]);

  const stop = new AbortController();
  const seen = (async () => {
    for await (const { type, object } of known.changes(stop.signal))
      if (type === "add" && object.metadata.name === "c") return known.on("one");
    return [];
  })();
  await start("c", "one");
  expect(await seen).toEqual(["a", "c"]);
  await client.of(Pod).delete("a", { gracePeriodSeconds: 0 });
  await expect.poll(() => known.on("one")).toEqual(["c"]);
});
