import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { describeWith, pythonClient, pythonPath, run } from "./programs.ts";

let server: OrchServer;
let folder = "";
let configPath = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-clients-"));
  server = await createServer({ vocabulary: "kubernetes" });
  configPath = join(folder, "config");
  await writeFile(configPath, (await server.clientConfig()).text, { mode: 0o600 });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const configMap = (name: string) => ({ metadata: { name }, data: { text: "hello" } });
async function create(namespace: string, name: string): Promise<void> {
  const answer = await server.fetch(`/api/v1/namespaces/${namespace}/configmaps`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(configMap(name)),
  });
  expect(answer.status).toBe(201);
}
async function createNamespace(name: string): Promise<void> {
  const answer = await server.fetch("/api/v1/namespaces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
  expect(answer.status).toBe(201);
}

describe("the client library for Node", () => {
  test("lists, creates and watches", async () => {
    const { CoreV1Api, KubeConfig, Watch } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromFile(configPath);
    const api = config.makeApiClient(CoreV1Api);
    await createNamespace("node");
    await create("node", "before");
    const list = await api.listNamespacedConfigMap({ namespace: "node" });
    expect(list.items.map((item) => item.metadata?.name)).toEqual(["before"]);

    const events: string[] = [];
    let wake = () => {};
    const two = new Promise<void>((done) => {
      wake = done;
    });
    const controller = await new Watch(config).watch(
      "/api/v1/namespaces/node/configmaps",
      { resourceVersion: list.metadata?.resourceVersion },
      (type: string, object: { metadata: { name: string } }) => {
        events.push(`${type} ${object.metadata.name}`);
        if (events.length === 2) wake();
      },
      () => {},
    );
    try {
      await api.createNamespacedConfigMap({ namespace: "node", body: configMap("after") });
      await api.deleteNamespacedConfigMap({ namespace: "node", name: "before" });
      await two;
    } finally {
      controller.abort();
    }
    expect(events).toEqual(["ADDED after", "DELETED before"]);
  });
});

const pythonScript = `
import sys
from kubernetes import client, config, watch
config.load_kube_config(sys.argv[1])
api = client.CoreV1Api()
listed = api.list_namespaced_config_map("python")
print("listed", [item.metadata.name for item in listed.items])
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="after"), data={"text": "hello"})
api.create_namespaced_config_map("python", body)
api.delete_namespaced_config_map("before", "python")
seen = watch.Watch()
count = 0
for event in seen.stream(api.list_namespaced_config_map, "python", resource_version=listed.metadata.resource_version, timeout_seconds=20):
    print(event["type"], event["object"].metadata.name)
    count += 1
    if count == 2:
        seen.stop()
`;

describeWith(pythonClient, "the client library for Python", () => {
  test("lists, creates and watches", async () => {
    await createNamespace("python");
    await create("python", "before");
    const { code, stdout, stderr } = await run(pythonPath, ["-c", pythonScript, configPath]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout.trim().split("\n")).toEqual(["listed ['before']", "ADDED after", "DELETED before"]);
  });
});
