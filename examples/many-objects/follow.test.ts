import { createServer } from "orch";
import { ConfigMap, connect } from "orch/client";
import { expect, test } from "vitest";
import { follow } from "./follow.ts";

const labels = { app: "many" };

test("5,000 objects are read once, and those that follow are seen", async () => {
  await using server = await createServer({ controllers: false });
  await server.load(
    Array.from({ length: 5_000 }, (_, n) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `m-${n}`, namespace: "default", labels },
    })),
  );
  await using client = await connect({ server });
  const seen: string[] = [];
  const stop = new AbortController();
  const following = follow(client, (name) => seen.push(name), stop.signal);
  await expect.poll(() => seen.length).toBe(5_000);
  await client.of(ConfigMap).create({ metadata: { name: "late", labels } });
  await expect.poll(() => seen.at(-1)).toBe("late");
  stop.abort();
  await following.catch(() => {});
  expect(new Set(seen).size).toBe(5_001);
});
