// What happens to my workload when nodes fail, requests are lost and pods crash? Run: node --test examples/chaos/chaos.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "orch";
import { connect, Deployment, Pod } from "orch/client";
import { expectObject } from "orch/testing";

// Machines that build are busy.
const patience = { timeoutMs: 60_000 };
const labels = { app: "web" };
const deployment = (annotations = {}) => ({
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels, annotations }, spec: { containers: [{ name: "web", image: "any" }] } },
  },
});

const prepared = await createServer({ controllers: ["*"], nodes: 3 });
await (await connect({ server: prepared })).of(Deployment).create(deployment());
await expectObject(prepared, "Deployment", "web", { status: { readyReplicas: 4 } }, patience);

test("four pods are ready again although every third write of the controllers fails", async () => {
  const server = await prepared.fork();
  const pods = (await connect({ server })).of(Pod);
  const lost = (await pods.list().all()).items[0].metadata.name;
  server.faults.add({ match: { verb: "create", probability: 0.3, seed: 3 }, do: { status: 500 } });
  server.faults.add({ match: { verb: "update", probability: 0.3, seed: 4 }, do: { status: 409 } });
  await pods.delete(lost);
  await server.untilGone("Pod", lost, patience);
  await expectObject(server, "Deployment", "web", { status: { readyReplicas: 4, observedGeneration: 1 } }, patience);
  const names = (await pods.list().all()).items.map((pod) => pod.metadata.name);
  assert.ok(!names.includes(lost));
  await server.close();
});

test("a version that crashes does not take the last good pods with it", async () => {
  const server = await prepared.fork();
  const client = await connect({ server });
  const crashing = deployment({ "simulation.orch.io/exit-code": "1", "simulation.orch.io/exit-after": "10ms" });
  await client.of(Deployment).patch("web", { spec: crashing.spec });
  await expectObject(server, "Deployment", "web", { status: { updatedReplicas: 2 } }, patience);
  const { items } = await client.of(Pod).list().all();
  const good = items.filter((pod) => pod.metadata.annotations?.["simulation.orch.io/exit-code"] === undefined);
  assert.ok(good.length >= 3);
  await server.close();
});

test.after(() => prepared.close());
