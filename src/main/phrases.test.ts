/** Parts of messages that client libraries, command lines, operators and public suites compare: word for word, in both vocabularies. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRequest } from "../base/certificate.suite.ts";
import { openHookServer } from "../base/hook-server.suite.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { createServer, type OrchServer } from "./library.ts";

type Json = Record<string, unknown>;
interface Asked {
  readonly as?: { readonly name: string; readonly groups?: readonly string[] };
  readonly type?: string;
  readonly accept?: string;
}

const namespaced = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const pods = namespaced("pods");
const configMaps = namespaced("configmaps");
const services = namespaced("services");
const pod = (name: string, spec: Json = {}, metadata: Json = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "a", image: "i" }], ...spec },
});
const merge = { type: "application/merge-patch+json" };
const apply = { type: "application/apply-patch+yaml" };

for (const vocabulary of ["orch", "kubernetes"] as const) {
  const names = vocabularyOf(vocabulary);
  const group = (name: string) => names.group(name);
  let server: OrchServer;
  let hook: Awaited<ReturnType<typeof openHookServer>>;

  async function ask(method: string, path: string, body?: unknown, { as, type, accept }: Asked = {}): Promise<string> {
    const fetch = as === undefined ? server.fetch : server.fetchAs(as);
    const response = await fetch(path, {
      method,
      headers: { "content-type": type ?? "application/json", ...(accept === undefined ? {} : { accept }) },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    try {
      const { message } = JSON.parse(text) as { message?: string };
      return message ?? text;
    } catch {
      return text;
    }
  }
  const create = async (path: string, body: unknown, asked: Asked = {}) => {
    const answer = await ask("POST", path, body, asked);
    if (!answer.startsWith('{"apiVersion"') && !answer.startsWith('{"kind"')) throw new Error(answer);
    return JSON.parse(answer) as { metadata: { uid: string; resourceVersion: string } };
  };

  const jane = { name: "jane" };
  const node = (name: string) => ({ name: `system:node:${name}`, groups: ["system:nodes"] });

  /** Each gives the message that must contain the phrase. */
  const table: [phrase: string, message: () => Promise<string>][] = [
    [
      'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
      () => ask("PUT", `${configMaps}/x`, { metadata: { name: "x", resourceVersion: "1" } }),
    ],
    [
      'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
      () => ask("PATCH", `${configMaps}/x`, { metadata: { resourceVersion: "1" }, data: { n: "1" } }, merge),
    ],
    ['configmaps "x" already exists', () => ask("POST", configMaps, { metadata: { name: "x" } })],
    ['pods "none" not found', () => ask("GET", `${pods}/none`)],
    ['pods "none" not found', () => ask("DELETE", `${pods}/none`)],
    ["the server could not find the requested resource", () => ask("GET", "/api/v1/nothings")],
    [
      'Pod "x" is invalid: spec.containers: Required value',
      () => ask("POST", pods, { metadata: { name: "x" }, spec: {} }),
    ],
    [": Invalid value: ", () => ask("POST", pods, pod("X"))],
    [": Forbidden: ", () => ask("PUT", `${pods}/there`, pod("there", { hostNetwork: true }))],
    [
      ': Duplicate value: "a"',
      () =>
        ask(
          "POST",
          pods,
          pod("x", {
            containers: [
              { name: "a", image: "i" },
              { name: "a", image: "i" },
            ],
          }),
        ),
    ],
    [
      ': Unsupported value: "Y": supported values: "Always", "OnFailure", "Never"',
      () => ask("POST", pods, pod("x", { restartPolicy: "Y" })),
    ],
    [
      ": Too long: must have at most 262144 bytes",
      () => ask("POST", configMaps, { metadata: { name: "long", annotations: { a: "x".repeat(262_145) } } }),
    ],
    [
      "field is immutable",
      () =>
        ask("PATCH", `${configMaps}/fixed`, { data: { a: "c" }, metadata: { name: "fixed", uid: "other" } }, apply)
          .then(() => ask("PATCH", `${services}/s`, { metadata: { uid: "other" } }, merge))
          .then(() => ask("PATCH", `/apis/batch/v1/namespaces/default/jobs/j`, { spec: { completions: 7 } }, merge)),
    ],
    [
      "must be specified for an update",
      () =>
        ask("PUT", `/apis/${group("scheduling.orch.io")}/v1/priorityclasses/pc`, {
          metadata: { name: "pc" },
          value: 1,
        }).then(() =>
          ask("PUT", `/apis/${group("coordination.orch.io")}/v1/namespaces/default/leases/l`, {
            metadata: { name: "l" },
          }),
        ),
    ],
    [
      "pod updates may not change fields other than",
      () => ask("PATCH", `${pods}/there`, { spec: { hostNetwork: true } }, merge),
    ],
    [
      "the object provided is unrecognized (must be of type Namespace)",
      () => ask("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } }),
    ],
    ["cannot be handled as a Pod", () => ask("POST", pods, { metadata: { name: "x" }, spec: { containers: "none" } })],
    ["couldn't get version/kind; json parse error", () => ask("POST", pods, "{ this is no JSON")],
    ["cannot restore map from string", () => ask("POST", configMaps, { metadata: { name: "m" }, data: "text" })],
    [
      "the body of the request was in an unknown format - accepted media types include: ",
      () => ask("POST", pods, "<pod/>", { type: "application/xml" }),
    ],
    [
      "the namespace of the provided object does not match the namespace sent on the request",
      () => ask("POST", configMaps, { metadata: { name: "n", namespace: "other" } }),
    ],
    [
      `the API version in the data (apps/v1) does not match the expected API version (v1)`,
      () => ask("PUT", `${configMaps}/x`, { apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "x" } }),
    ],
    [
      "the name of the object (b) does not match the name on the URL (x)",
      () => ask("PUT", `${configMaps}/x`, { metadata: { name: "b" } }),
    ],
    [
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
      () => ask("GET", pods, undefined, { as: jane }),
    ],
    [
      `nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope`,
      () => ask("GET", "/api/v1/nodes", undefined, { as: jane }),
    ],
    [
      "is attempting to grant RBAC permissions not currently held",
      () =>
        ask(
          "POST",
          `/apis/${group("rbac.authorization.orch.io")}/v1/clusterroles`,
          { metadata: { name: "more" }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
          { as: { name: "roles" } },
        ),
    ],
    [
      "unable to create new content in namespace ending because it is being terminated",
      () => ask("POST", "/api/v1/namespaces/ending/configmaps", { metadata: { name: "x" } }),
    ],
    [
      'namespaces "nowhere" not found',
      () => ask("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "x" } }),
    ],
    [
      "exceeded quota: q, requested: configmaps=1, used: configmaps=",
      () => ask("POST", "/api/v1/namespaces/full/configmaps", { metadata: { name: "x" } }),
    ],
    ["failed quota: cpu: must specify", () => ask("POST", "/api/v1/namespaces/full/pods", pod("x"))],
    [
      "maximum cpu usage per Container is",
      () =>
        ask(
          "POST",
          "/api/v1/namespaces/limited/pods",
          pod("x", {
            containers: [{ name: "a", image: "i", resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } }],
          }),
        ),
    ],
    [
      "must be less than or equal to",
      () =>
        ask(
          "POST",
          pods,
          pod("x", {
            containers: [{ name: "a", image: "i", resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }],
          }),
        ),
    ],
    [
      'admission webhook "deny.example.com" denied the request: no',
      () => ask("POST", "/api/v1/namespaces/hooked/configmaps", { metadata: { name: "x" } }),
    ],
    [
      'failed calling webhook "fail.example.com": ',
      () => ask("POST", "/api/v1/namespaces/failing/configmaps", { metadata: { name: "x" } }),
    ],
    [
      "does not support dry run",
      () => ask("POST", "/api/v1/namespaces/hooked/secrets?dryRun=All", { metadata: { name: "x" } }),
    ],
    [
      "conversion webhook for example.com/v1, Kind=Widget failed: ",
      () => ask("GET", "/apis/example.com/v2/namespaces/default/widgets/w"),
    ],
    [
      'Apply failed with 1 conflict: conflict with "m" using v1: .data.k',
      () =>
        ask(
          "PATCH",
          `${configMaps}/applied?fieldManager=o`,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { k: "2" } },
          apply,
        ),
    ],
    [
      "Apply failed with 2 conflicts: ",
      () =>
        ask(
          "PATCH",
          `${configMaps}/applied?fieldManager=o`,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { k: "2", l: "2" } },
          apply,
        ),
    ],
    [
      "metadata.managedFields must be nil",
      () =>
        ask(
          "PATCH",
          `${configMaps}/applied?fieldManager=o`,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied", managedFields: [{}] } },
          apply,
        ),
    ],
    [
      "Precondition failed: UID in precondition: a, UID in object meta: ",
      () => ask("DELETE", `${configMaps}/x`, { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "a" } }),
    ],
    [
      'object is being deleted: configmaps "leaving" already exists',
      () => ask("POST", configMaps, { metadata: { name: "leaving" } }),
    ],
    ["resourceVersionMatch is forbidden", () => ask("GET", `${pods}?resourceVersionMatch=Exact`)],
    ["Too large resource version: 999999999, current: ", () => ask("GET", `${pods}?resourceVersion=999999999`)],
    ["unable to parse requirement: ", () => ask("GET", `${pods}?labelSelector=${encodeURIComponent("a in b")}`)],
    ["field label not supported: spec.nothing", () => ask("GET", `${pods}?fieldSelector=spec.nothing%3Da`)],
    ["is not a known field selector", () => ask("GET", `${configMaps}?fieldSelector=data%3Da`)],
    [
      "provided port is already allocated",
      () =>
        ask("POST", services, {
          metadata: { name: "n2" },
          spec: { type: "NodePort", ports: [{ port: 1, nodePort: 30001 }] },
        }),
    ],
    [
      "provided port is not in the valid range. The range of valid ports is 30000-32767",
      () =>
        ask("POST", services, {
          metadata: { name: "n3" },
          spec: { type: "NodePort", ports: [{ port: 1, nodePort: 80 }] },
        }),
    ],
    [
      "the provided IP (1.2.3.4) is not in the valid range",
      () => ask("POST", services, { metadata: { name: "n3" }, spec: { clusterIP: "1.2.3.4", ports: [{ port: 1 }] } }),
    ],
    [
      "provided IP is already allocated",
      () => ask("POST", services, { metadata: { name: "n3" }, spec: { clusterIP: "10.0.0.77", ports: [{ port: 1 }] } }),
    ],
    ["pod there does not have a host assigned", () => ask("POST", `${pods}/there/exec?command=a`)],
    ["container none is not valid for pod there", () => ask("GET", `${pods}/there/log?container=none`)],
    ["a container name must be specified for pod two, choose one of: [a b]", () => ask("GET", `${pods}/two/log`)],
    [
      "Cannot evict pod as it would violate the pod's disruption budget.",
      () =>
        ask("POST", `${pods}/kept/eviction`, {
          apiVersion: "policy/v1beta1",
          kind: "Eviction",
          metadata: { name: "kept" },
        }),
    ],
    [
      "Request entity too large: limit is 3145728",
      () => ask("POST", configMaps, { metadata: { name: "x" }, data: { a: "x".repeat(3_200_000) } }),
    ],
    [
      "etcdserver: request is too large",
      () =>
        ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
          apiVersion: "example.com/v1",
          kind: "Widget",
          metadata: { name: "big" },
          text: "x".repeat(1_600_000),
        }),
    ],
    [
      "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
      () =>
        ask("POST", `/apis/${group("apiextensions.orch.io")}/v1/customresourcedefinitions`, {
          metadata: { name: "gadgets.example.com" },
          spec: {
            group: "example.com",
            names: { plural: "gadgets", kind: "Gadget" },
            scope: "Namespaced",
            versions: [{ name: "v1", served: true, storage: true }],
          },
        }),
    ],
    [
      'spec.text in body must be of type string: "integer"',
      () =>
        ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
          apiVersion: "example.com/v1",
          kind: "Widget",
          metadata: { name: "n" },
          spec: { text: 1, need: "a" },
        }),
    ],
    [
      "spec.need in body is required",
      () =>
        ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
          apiVersion: "example.com/v1",
          kind: "Widget",
          metadata: { name: "n" },
          spec: {},
        }),
    ],
    [
      "spec.need in body should be one of [a b]",
      () =>
        ask("POST", "/apis/example.com/v1/namespaces/default/widgets", {
          apiVersion: "example.com/v1",
          kind: "Widget",
          metadata: { name: "n" },
          spec: { need: "c" },
        }),
    ],
    [
      '"csr" is forbidden: user not permitted to approve requests with signerName "example.com/s"',
      () =>
        ask(
          "PUT",
          `/apis/${group("certificates.orch.io")}/v1/certificatesigningrequests/csr/approval`,
          {
            metadata: { name: "csr" },
            spec: { signerName: "example.com/s", request: "", usages: [] },
            status: { conditions: [{ type: "Approved", status: "True" }] },
          },
          { as: { name: "roles" } },
        ),
    ],
    [
      "is not allowed to modify labels",
      () =>
        ask(
          "PATCH",
          "/api/v1/nodes/n1",
          { metadata: { labels: { [names.word("node-restriction.orch.io/a")]: "b" } } },
          { ...merge, as: node("n1") },
        ),
    ],
    [
      "can only create pods with spec.nodeName set to itself",
      () =>
        ask(
          "POST",
          pods,
          pod("m", { nodeName: "n2" }, { annotations: { [names.word("orch.io/config.mirror")]: "x" } }),
          { as: node("n1") },
        ),
    ],
  ];

  describe(`with the vocabulary ${vocabulary}`, () => {
    beforeAll(async () => {
      hook = await openHookServer((request, response, body) => {
        const { request: asked, apiVersion } = JSON.parse(body) as { request: { uid: string }; apiVersion: string };
        if (request.url?.startsWith("/fail")) response.writeHead(500).end();
        else
          response.end(
            JSON.stringify({
              apiVersion,
              kind: "AdmissionReview",
              response: { uid: asked?.uid, allowed: false, status: { message: "no" } },
            }),
          );
      });
      server = await createServer({ vocabulary, authorization: "RBAC", enableAdmissionPlugins: ["NodeRestriction"] });
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
      await create(`${configMaps}?fieldManager=m`, { metadata: { name: "applied" }, data: { k: "1", l: "1" } });
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
      for (const quota of ["q", "cpu"])
        while (!(await ask("GET", `/api/v1/namespaces/full/resourcequotas/${quota}`)).includes('"used"'))
          await new Promise((resolve) => setTimeout(resolve, 5));
    }, 60_000);
    afterAll(async () => {
      await server.close();
      await hook.close();
    });
    for (const [phrase, message] of table) test(phrase, async () => expect(await message()).toContain(phrase));
  });
}

test("a client of the other vocabulary is told the switch, and refused content types have the code of the vocabulary", async () => {
  const switchName = "--vocabulary=kubernetes";
  for (const [vocabulary, code] of [
    ["orch", 406],
    ["kubernetes", 415],
  ] as const) {
    const server = await createServer({ vocabulary, controllers: false });
    const ask = async (path: string, type: string, body?: string, accept = "*/*") => {
      const method = body === undefined ? "GET" : "POST";
      const headers = { "content-type": type, accept };
      const answer = await server.fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await ask(configMaps, "text/plain", "x")).status).toBe(code);
    const crd = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" });
    const json = "application/json";
    const protobuf = "application/vnd.kubernetes.protobuf";
    const said = await Promise.all([
      ask(configMaps, protobuf, "x"),
      ask(configMaps, json, undefined, protobuf),
      ask("/apis/apiextensions.k8s.io/v1/nothings", json),
      ask("/apis/other.k8s.io", json),
      ask(`/apis/${vocabularyOf(vocabulary).group("apiextensions.orch.io")}/v1/customresourcedefinitions`, json, crd),
    ]);
    expect(said.map(({ text }) => text.includes(switchName))).toEqual(said.map(() => vocabulary === "orch"));
    // What has nothing to do with names is answered as ever.
    expect((await ask(`${configMaps}/none`, json, undefined, `${protobuf}, ${json}`)).text).not.toContain(switchName);
    await server.close();
  }
});
