/** Repairs of claims and services that do not agree. */

import { expect, test } from "vitest";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { claimed, openServiceServer } from "./services.suite.ts";

const web = { ports: [{ port: 80 }] };

test("when a single server starts, it releases claims without a service", async () => {
  const kv = createMemoryKv();
  await kv.put("registry/claims/services/IPv4/10.0.0.7", Buffer.from("nobody"), 0n);
  const { post, repair, registry } = await openServiceServer({ kv });
  await post("a", web);
  await repair(true);
  expect(await claimed(kv)).toEqual(["IPv4/10.0.0.128"]);
  await registry.close();
});

test("with several servers, a claim may belong to a write in progress, so only the second check releases it", async () => {
  const kv = createMemoryKv();
  await kv.put("registry/claims/services/node-ports/30007", Buffer.from("somebody"), 0n);
  const { repair, registry } = await openServiceServer({ kv });
  await repair(false);
  expect(await claimed(kv)).toEqual(["node-ports/30007"]);
  await repair(false);
  expect(await claimed(kv)).toEqual([]);
  await registry.close();
});

const holders = async (kv: Kv) => {
  const { entries } = await kv.range("registry/claims/services/IPv4/");
  return Object.fromEntries(entries.map(({ key, value }) => [key.split("/").at(-1), Buffer.from(value).toString()]));
};
const claim = async (kv: Kv, ip: string, holder: string) => {
  const key = `registry/claims/services/IPv4/${ip}`;
  const found = await kv.get(key);
  await kv.put(key, Buffer.from(holder), found?.revision ?? 0n);
};

for (const alone of [true, false]) {
  const who = alone ? "a lone server" : "one of several servers at its second check";
  test(`two services that hold each other's address get their own back from ${who}`, async () => {
    const kv = createMemoryKv();
    const { post, repair, registry } = await openServiceServer({ kv });
    await post("a", { ...web, clusterIP: "10.0.0.7" });
    await post("b", { ...web, clusterIP: "10.0.0.9" });
    const before = await holders(kv);
    await claim(kv, "10.0.0.7", before["10.0.0.9"] ?? "");
    await claim(kv, "10.0.0.9", before["10.0.0.7"] ?? "");
    await repair(alone);
    if (!alone) await repair(alone);
    expect(await holders(kv)).toEqual(before);
    await registry.close();
  });
}

test("if two services have one address, the one that holds the claim keeps it", async () => {
  const kv = createMemoryKv();
  const { post, repair, registry } = await openServiceServer({ kv });
  await post("b", { ...web, clusterIP: "10.0.0.7" });
  const before = await holders(kv);
  // The copy comes first in the list, and has the same address.
  const stored = await kv.get("/core/services/a/b");
  const copy = JSON.parse(Buffer.from(stored?.value ?? "").toString()) as { metadata: { name: string; uid: string } };
  Object.assign(copy.metadata, { name: "a", uid: "another" });
  await kv.put("/core/services/a/a", Buffer.from(JSON.stringify(copy)), 0n);
  await repair(true);
  expect(await holders(kv)).toEqual(before);
  await registry.close();
});

test("a service without a claim, as in an older store, gets one", async () => {
  const kv = createMemoryKv();
  const { post, repair, registry } = await openServiceServer({ kv });
  await post("a", web);
  const found = await kv.get("registry/claims/services/IPv4/10.0.0.128");
  await kv.delete("registry/claims/services/IPv4/10.0.0.128", found?.revision ?? 0n);
  await repair(true);
  expect(await claimed(kv)).toEqual(["IPv4/10.0.0.128"]);
  await registry.close();
});
