import { createServer } from "orch";
import { connect, Deployment, isConflict } from "orch/client";
import { expect, test } from "vitest";
import { applyReplicas, applyWeb } from "./web.ts";

test("two managers own their fields, and a third who wants one of them is told whose it is", async () => {
  await using server = await createServer({ controllers: false });
  await using client = await connect({ server });
  await applyWeb(client, "nginx:1.27");
  await applyReplicas(client, 5);
  const { spec } = await applyWeb(client, "nginx:1.28");
  expect([spec?.replicas, spec?.template.spec?.containers[0]?.image]).toEqual([5, "nginx:1.28"]);

  const mine = { metadata: { name: "web" }, spec: { replicas: 1 } };
  const refused = await client
    .of(Deployment)
    .apply(mine, { manager: "me" })
    .catch((error: unknown) => error);
  expect(isConflict(refused)).toBe(true);
  expect(String(refused)).toContain('"scaling"');
  expect((await client.of(Deployment).apply(mine, { manager: "me", force: true })).spec?.replicas).toBe(1);

  // @ts-expect-error a misspelled field does not compile
  void (() => client.of(Deployment).apply({ metadata: mine.metadata, spec: { replica: 1 } }, { manager: "me" }));
});
