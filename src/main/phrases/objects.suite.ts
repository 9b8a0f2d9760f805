/** The objects that the requests of the tables meet. */

import { makeRequest } from "../../base/certificate.suite.ts";
import type { openHookServer } from "../../base/hook-server.suite.ts";
import { configMaps, merge, pod, pods, type Stand, services } from "./stand.suite.ts";

type Hook = Awaited<ReturnType<typeof openHookServer>>;

export async function addEverything(stand: Stand, hook: Hook): Promise<void> {
  await addObjects(stand);
  await addWebhooks(stand, hook);
  await addDefinition(stand, hook);
  await addRights(stand);
  await addNamespaces(stand);
}

/** Objects that are there, are deleted, or may not be evicted. */
async function addObjects({ ask, create, group }: Stand): Promise<void> {
  await create(configMaps, { metadata: { name: "x" } });
  await create(configMaps, { metadata: { name: "leaving", finalizers: ["example.com/f"] } });
  await ask("DELETE", `${configMaps}/leaving`);
  await create(pods, pod("there"));
  await create(
    pods,
    pod("two", {
      containers: [
        { name: "a", image: "i" },
        { name: "b", image: "i" },
      ],
    }),
  );
  await create(pods, pod("kept", {}, { labels: { kept: "y" } }));
  await create("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
    metadata: { name: "b" },
    spec: { minAvailable: 1, selector: { matchLabels: { kept: "y" } } },
  });
  await ask(
    "PATCH",
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status",
    {
      status: {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      },
    },
    merge,
  );
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await ask("PATCH", `${pods}/kept/status`, { status: ready }, merge);
  await create(services, {
    metadata: { name: "s" },
    spec: { type: "NodePort", clusterIP: "10.0.0.77", ports: [{ port: 1, nodePort: 30001 }] },
  });
  await create("/apis/batch/v1/namespaces/default/jobs", {
    metadata: { name: "j" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "i" }] } } },
  });
  await create(`/apis/${group("coordination.orch.io")}/v1/namespaces/default/leases`, { metadata: { name: "l" } });
  await create(`${configMaps}?fieldManager=m`, { metadata: { name: "applied" }, data: { k: "1", l: "1" } });
}

/** Namespaces that end, are full, or have limits. */
async function addNamespaces({ ask, create }: Stand): Promise<void> {
  for (const name of ["ending", "full", "limited", "hooked", "failing"])
    await create("/api/v1/namespaces", {
      metadata: { name, labels: { name } },
      ...(name === "ending" ? { spec: { finalizers: ["example.com/f"] } } : {}),
    });
  await create("/api/v1/namespaces/ending/configmaps", {
    metadata: { name: "holds", finalizers: ["example.com/f"] },
  });
  await ask("DELETE", "/api/v1/namespaces/ending");
  await create("/api/v1/namespaces/full/resourcequotas", {
    metadata: { name: "q" },
    spec: { hard: { configmaps: "0" } },
  });
  await create("/api/v1/namespaces/full/resourcequotas", {
    metadata: { name: "cpu" },
    spec: { hard: { cpu: "1" } },
  });
  await create("/api/v1/namespaces/limited/limitranges", {
    metadata: { name: "l" },
    spec: { limits: [{ type: "Container", max: { cpu: "1" } }] },
  });
  for (const quota of ["q", "cpu"])
    while (!(await ask("GET", `/api/v1/namespaces/full/resourcequotas/${quota}`)).includes('"used"'))
      await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Webhooks that refuse and that fail. */
async function addWebhooks({ create, group }: Stand, hook: Hook): Promise<void> {
  const rule = (resource: string) => [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: [resource] },
  ];
  const webhook = (name: string, path: string, resource: string, namespace: string, sideEffects = "None") => ({
    name,
    sideEffects,
    admissionReviewVersions: ["v1"],
    rules: rule(resource),
    clientConfig: { url: `${hook.url}${path}`, caBundle: hook.caBundle },
    namespaceSelector: { matchLabels: { name: namespace } },
  });
  await create(`/apis/${group("admissionregistration.orch.io")}/v1beta1/validatingwebhookconfigurations`, {
    metadata: { name: "c" },
    webhooks: [
      webhook("deny.example.com", "/deny", "configmaps", "hooked"),
      webhook("fail.example.com", "/fail", "configmaps", "failing"),
      webhook("dry.example.com", "/deny", "secrets", "hooked", "Some"),
    ].map((one) => ({ ...one, failurePolicy: "Fail" })),
  });
}

/** A definition whose conversion fails, with an object. */
async function addDefinition({ create, group }: Stand, hook: Hook): Promise<void> {
  const spec = {
    type: "object",
    properties: { text: { type: "string" }, need: { type: "string", enum: ["a", "b"] } },
    required: ["need"],
  };
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object", properties: { spec, text: { type: "string" } } } },
  });
  await create(`/apis/${group("apiextensions.orch.io")}/v1/customresourcedefinitions`, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [version("v1"), version("v2")],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${hook.url}/fail`, caBundle: hook.caBundle },
        },
      },
    },
  });
  await create("/apis/example.com/v1/namespaces/default/widgets", {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
  });
}

/** Users with few rights, a node, and a request for a certificate. */
async function addRights({ create, group }: Stand): Promise<void> {
  const rbac = `/apis/${group("rbac.authorization.orch.io")}/v1`;
  await create(`${rbac}/clusterroles`, {
    metadata: { name: "roles" },
    rules: [
      { apiGroups: [group("rbac.authorization.orch.io")], resources: ["clusterroles"], verbs: ["create"] },
      {
        apiGroups: [group("certificates.orch.io")],
        resources: ["certificatesigningrequests/approval"],
        verbs: ["update"],
      },
      { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["*"] },
    ],
  });
  for (const [name, subject] of [
    ["roles", { kind: "User", name: "roles" }],
    ["nodes", { kind: "Group", name: "system:nodes" }],
  ] as const)
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: group("rbac.authorization.orch.io"), kind: "ClusterRole", name: "roles" },
      subjects: [{ apiGroup: group("rbac.authorization.orch.io"), ...subject }],
    });
  await create("/api/v1/nodes", { metadata: { name: "n1" } });
  const { pem } = makeRequest([["2.5.4.3", "x"]]);
  await create(`/apis/${group("certificates.orch.io")}/v1/certificatesigningrequests`, {
    metadata: { name: "csr" },
    spec: { signerName: "example.com/s", usages: ["client auth"], request: Buffer.from(pem).toString("base64") },
  });
}
