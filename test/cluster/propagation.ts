/** What is written through one server holds on the others: definitions, roles and webhooks, and their end. */

import { call } from "./call.ts";
import { type Cluster, eventually, pause } from "./cluster.ts";
import type { Server } from "./server.ts";
import type { Subject } from "./subject.ts";
import { watchOnce } from "./watchers.ts";

const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const webhooks = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";
const roles = "/apis/rbac.authorization.orch.io/v1";

export function propagation(cluster: Cluster): Subject {
  let rounds = 0;
  return {
    name: "definitions, roles and webhooks of one server on the others",
    async run(signal) {
      while (!signal.aborted) {
        await passKind(cluster, `widgets${rounds}`);
        await passRole(cluster, `reader-${rounds}`);
        await passWebhook(cluster, `closed-${rounds}`);
        rounds += 1;
        await pause(200);
      }
    },
    async verify() {
      // Once more with everything whole, on every server.
      await passKind(cluster, "lastwidgets");
      await passRole(cluster, "last-reader");
      await passWebhook(cluster, "last-closed");
      return `${rounds + 1} definitions, roles and webhooks reached all servers, and so did their end`;
    },
  };
}

/** A server that does not answer now is asked again; one that answers must soon answer as expected. */
async function onEvery(cluster: Cluster, what: string, ask: (server: Server) => Promise<boolean>): Promise<void> {
  await Promise.all(
    cluster.servers.map((server) =>
      eventually(`${what} on server ${server.name}`, async () => (await ask(server)) || undefined),
    ),
  );
}

const statusOf = async (...args: Parameters<typeof call>): Promise<number> => {
  const outcome = await call(...args);
  return outcome.kind === "answer" ? outcome.status : 0;
};

async function passKind(cluster: Cluster, plural: string): Promise<void> {
  const group = "cluster.example.com";
  const kind = plural[0]!.toUpperCase() + plural.slice(1);
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  const definition = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: `${plural}-one`, kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  await cluster.insist("POST", definitions, { body: definition });
  await onEvery(cluster, `${plural} are served`, async (server) => (await statusOf(server, "GET", path)) === 200);
  const object = { apiVersion: `${group}/v1`, kind, metadata: { name: "w" }, spec: {} };
  await cluster.insist("POST", path, { body: object });
  await onEvery(
    cluster,
    `the ${plural} are seen`,
    async (server) => (await statusOf(server, "GET", `${path}/w`)) === 200,
  );
  // A watch on each server ends when the definition goes.
  const leaving = new AbortController();
  const watches = cluster.servers.map((server) => watchOnce(server, `${path}?watch=1`, leaving.signal, () => {}));
  await cluster.insist("DELETE", `${definitions}/${plural}.${group}`);
  await onEvery(cluster, `${plural} are gone`, async (server) => (await statusOf(server, "GET", path)) === 404);
  let open = watches.length;
  for (const watch of watches) void watch.then(() => (open -= 1));
  await eventually(`the watches of ${plural} have ended`, async () => open === 0 || undefined).finally(() =>
    leaving.abort(),
  );
}

async function passRole(cluster: Cluster, name: string): Promise<void> {
  const token = "alice-token";
  const path = `/api/v1/namespaces/default/configmaps/of-${name}`;
  const rules = [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [`of-${name}`], verbs: ["get"] }];
  const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name };
  const subjects = [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "alice" }];
  await cluster.insist("POST", `${roles}/clusterroles`, { body: { metadata: { name }, rules } });
  await cluster.insist("POST", `${roles}/clusterrolebindings`, { body: { metadata: { name }, roleRef, subjects } });
  const seen = (status: number) => async (server: Server) =>
    (await statusOf(server, "GET", path, { token })) === status;
  await onEvery(cluster, `the role ${name} holds`, seen(404)); // allowed, but there is no such object
  await cluster.insist("DELETE", `${roles}/clusterrolebindings/${name}`);
  await onEvery(cluster, `the role ${name} no longer holds`, seen(403));
}

/** A webhook that cannot be reached refuses what it is asked about. */
async function passWebhook(cluster: Cluster, namespace: string): Promise<void> {
  await cluster.insist("POST", "/api/v1/namespaces", {
    body: { metadata: { name: namespace, labels: { gate: namespace } } },
  });
  const webhook = {
    name: "nobody.example.com",
    clientConfig: { url: "https://127.0.0.1:9/" },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    namespaceSelector: { matchLabels: { gate: namespace } },
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 1,
  };
  await cluster.insist("POST", webhooks, { body: { metadata: { name: namespace }, webhooks: [webhook] } });
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  const body = { metadata: { generateName: "c-" } };
  const isAsked = async (server: Server) => {
    const outcome = await call(server, "POST", path, { body });
    return outcome.kind === "answer" && JSON.stringify(outcome.body).includes("nobody.example.com");
  };
  await onEvery(cluster, `the webhook ${namespace} is called`, isAsked);
  await cluster.insist("DELETE", `${webhooks}/${namespace}`);
  const passes = async (server: Server) => (await statusOf(server, "POST", path, { body })) === 201;
  await onEvery(cluster, `the webhook ${namespace} is no longer called`, passes);
}
