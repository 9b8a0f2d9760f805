import { createServer } from "orch";
import { ConfigMap, connect, isForbidden } from "orch/client";
import { expect, test } from "vitest";
import { guard } from "./guard.ts";

test("the server asks the webhook, and it knows who asks", async () => {
  await using server = await createServer({ controllers: false });
  await using _ = await server.webhook(ConfigMap, guard, { operations: ["CREATE", "DELETE"] });
  await using ann = await connect({ server, as: "ann" });
  await using bob = await connect({ server, as: "bob" });
  const made = await ann.of(ConfigMap).create({ metadata: { name: "prices" } });
  expect(made.metadata.labels).toEqual({ owner: "ann" });
  const refused = await bob
    .of(ConfigMap)
    .delete("prices")
    .catch((error: unknown) => error);
  expect(isForbidden(refused)).toBe(true);
  expect(String(refused)).toContain("only its owner may delete it");
  await ann.of(ConfigMap).delete("prices");
});
