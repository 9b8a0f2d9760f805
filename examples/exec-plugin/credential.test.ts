import { resolve } from "node:path";
import { createServer } from "orch";
import { ConfigMap, connect, isForbidden, type Kubeconfig } from "orch/client";
import { expect, test } from "vitest";

const plugin = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: process.execPath,
  args: [resolve("examples/exec-plugin/credential.mjs")],
  env: [{ name: "SHOP_TOKEN", value: "of-the-shop" }],
  interactiveMode: "Never",
};

test("a client is who its plugin says", async () => {
  await using server = await createServer({
    vocabulary: "kubernetes",
    authorization: "RBAC",
    controllers: false,
    tokens: { "of-the-shop": { name: "ann", groups: ["shop"] } },
  });
  const { clusters } = (await server.clientConfig()).kubeconfig;
  const [cluster] = clusters;
  const kubeconfig: Kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters,
    users: [{ name: "shop", user: { exec: plugin } }],
    contexts: [{ name: "shop", context: { cluster: cluster?.name, user: "shop" } }],
    "current-context": "shop",
  };
  await using client = await connect({ kubeconfig });
  const refused = await client
    .of(ConfigMap)
    .get("prices")
    .catch((error: unknown) => error);
  expect(isForbidden(refused)).toBe(true);
  expect(String(refused)).toContain('User "ann"');
});
