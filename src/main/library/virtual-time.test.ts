import { expect, test } from "vitest";
import { createServer } from "../library.ts";

test("a pod that waits for the default account of its namespace does not wait for virtual time", async () => {
  await using server = await createServer({ controllers: false, disableAdmissionPlugins: [], clock: "virtual" });
  const create = (resource: string, body: object) =>
    server.fetch(`/api/v1/namespaces/default/${resource}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const refused = await create("pods", pod);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("default/default")]);
  const waiting = create("pods", pod);
  expect((await create("serviceaccounts", { metadata: { name: "default" } })).status).toBe(201);
  expect((await waiting).status).toBe(201);
});
