import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

test("with nodes, pods run in the process of a test", async () => {
  await using server = await createServer({ controllers: ["deployment", "replicaset"], nodes: 2 });
  const spec = { replicas: 3, selector: { matchLabels: { app: "web" } } };
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const made = await server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "web" }, spec: { ...spec, template } }),
  });
  expect(made.status).toBe(201);
  const ready = async () => {
    const answer = (await (await server.fetch(`${path}/web`)).json()) as { status?: { readyReplicas?: number } };
    return answer.status?.readyReplicas;
  };
  await expect.poll(ready).toBe(3);
});

test("a number of nodes that cannot be is refused", async () => {
  await expect(createServer({ nodes: -1 })).rejects.toThrow("nodes: must be a whole number from 0 to 5000");
});
