// How do I test my code against a server with node:test? Run: npm run build && node --test examples/node-test.mjs
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createServer } from "orch";
import { expectAnswer, expectObject, serverForEach, serverOf } from "orch/testing";

const path = "/api/v1/namespaces/default/configmaps";
const greeting = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "greeting" }, data: { text: "hello" } };

test("what is created can be read", async (t) => {
  const server = await serverOf(t);
  const created = await server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(greeting),
  });
  assert.equal(created.status, 201);
  const read = await (await server.fetch(`${path}/greeting`)).json();
  assert.deepEqual(read.data, { text: "hello" });
});

// Every test has its own copy of what was loaded once. The hooks of jest are used in the same way.
const server = serverForEach({ beforeEach, afterEach }, { load: [greeting] });

test("what one test deletes, the next one still has", async () => {
  await expectAnswer(server().fetch(`${path}/greeting`, { method: "DELETE" }));
});

test("it is there again", async () => {
  await expectObject(server(), "ConfigMap", "greeting", { data: { text: "hello" } });
});

test("somebody without rights is refused", async () => {
  const strict = await createServer({ authorization: "RBAC" });
  const answer = await strict.fetchAs({ name: "alice" })("/api/v1/secrets");
  assert.equal(answer.status, 403);
  await strict.close();
});
