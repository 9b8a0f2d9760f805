// How do I test my code against a server with node:test? Run: npm run build && node --test examples/node-test.mjs
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createServer } from "orch";

/** @type {import("orch").OrchServer} */
let server;
before(async () => {
  server = await createServer();
});
after(() => server.close());

test("what is created can be read", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const created = await server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "greeting" }, data: { text: "hello" } }),
  });
  assert.equal(created.status, 201);
  const read = await (await server.fetch(`${path}/greeting`)).json();
  assert.deepEqual(read.data, { text: "hello" });
});

test("somebody without rights is refused", async () => {
  const strict = await createServer({ authorization: "RBAC" });
  const answer = await strict.fetchAs({ name: "alice" })("/api/v1/secrets");
  assert.equal(answer.status, 403);
  await strict.close();
});
