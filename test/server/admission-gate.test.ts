/** No write bypasses admission, whatever its verb, path and format. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "../../src/admission/contract.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMemoryFetch } from "../../src/http/transport/memory-exchange.ts";
import { createMemoryKv } from "../../src/kv/memory/memory.ts";
import type { User } from "../../src/machinery/meta/user.ts";
import { forbiddenRequest } from "../../src/machinery/status/status.ts";
import { createAccess } from "../../src/main/access/access.ts";
import { openServer, type Server } from "../../src/main/server.ts";
import { vocabularyOf } from "../../src/vocabulary/by-name.ts";

const admin: User = { name: "admin", uid: "", groups: ["system:masters"], extra: new Map() };

/** The requests it has seen, as "UPDATE pods/status p"; refuses all of them while it is closed. */
const gate = {
  isClosed: false,
  asked: [] as string[],
  plugin: {
    name: "Gate",
    handles: () => true,
    validate({ operation, kind, subresource, name, namespace }) {
      if (!gate.isClosed) return;
      const path = subresource === "" ? kind.resource : `${kind.resource}/${subresource}`;
      gate.asked.push(`${operation} ${path} ${name}`);
      throw forbiddenRequest({ group: kind.group, kind: kind.resource }, name, `the gate of ${namespace} is closed`);
    },
  } satisfies AdmissionPlugin,
};

let server: Server;
let fetch: ReturnType<typeof createMemoryFetch>;

async function send(method: string, path: string, body?: unknown, type = "application/json") {
  const answer = await fetch(path, {
    method,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const core = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const requests = "/apis/certificates.orch.io/v1/certificatesigningrequests";
const container = { name: "c", image: "i" };
const podSpec = { containers: [container] };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: podSpec } },
};
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";
const labels = { metadata: { labels: { x: "y" } } };
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "c" } };

beforeAll(async () => {
  server = await openServer({
    clock: systemClock,
    log: silentLog,
    api: {
      vocabulary: vocabularyOf("orch"),
      gates: new Map([["EphemeralContainers", true]]),
      isServed: () => true,
      allowPrivileged: true,
    },
    store: { kv: createMemoryKv(), timeoutMs: 2_000, historyMs: 300_000 },
    admission: {
      enable: [],
      disable: ["ServiceAccount"],
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    },
    access: {
      open(parts) {
        const access = createAccess(
          {
            authentication: { bootstrapTokens: false, audiences: [] },
            authorization: { modes: ["AlwaysAllow"], subjectNames: "exact", policies: [] },
          },
          parts,
        );
        return { ...access, plugins: [...(access.plugins ?? []), gate.plugin] };
      },
      anonymous: false,
    },
    requests: { limits: {}, livezGraceMs: 0 },
    network: {},
  });
  fetch = createMemoryFetch(server.handler, { user: admin });
  const made = [
    await send("POST", `${core}/configmaps`, { metadata: { name: "c" }, data: { a: "b" } }),
    await send("POST", `${core}/configmaps`, { metadata: { name: "e" } }),
    await send("POST", `${core}/pods`, { metadata: { name: "p" }, spec: podSpec }),
    await send("POST", `${core}/serviceaccounts`, { metadata: { name: "s" } }),
    await send("POST", deployments, deployment),
    await send("POST", "/api/v1/namespaces", { metadata: { name: "n" } }),
  ];
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
});
afterAll(() => server.close());

interface Way {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  /** What the gate sees. */
  readonly asks: string;
}

const ways: readonly Way[] = [
  { method: "POST", path: `${core}/configmaps`, body: { metadata: { name: "new" } }, asks: "CREATE configmaps new" },
  { method: "PUT", path: `${core}/configmaps/c`, body: configMap, asks: "UPDATE configmaps c" },
  { method: "PATCH", path: `${core}/configmaps/c`, body: labels, type: merge, asks: "UPDATE configmaps c" },
  { method: "PATCH", path: `${core}/configmaps/c`, body: labels, type: strategic, asks: "UPDATE configmaps c" },
  {
    method: "PATCH",
    path: `${core}/configmaps/c`,
    body: [{ op: "replace", path: "/data/a", value: "z" }],
    type: json,
    asks: "UPDATE configmaps c",
  },
  {
    method: "PATCH",
    path: `${core}/configmaps/c?fieldManager=m&force=true`,
    body: configMap,
    type: apply,
    asks: "UPDATE configmaps c",
  },
  {
    method: "PATCH",
    path: `${core}/configmaps/applied?fieldManager=m`,
    body: { ...configMap, metadata: { name: "applied" } },
    type: apply,
    asks: "CREATE configmaps applied",
  },
  { method: "DELETE", path: `${core}/configmaps/c`, asks: "DELETE configmaps c" },
  // In a collection nothing after the first refusal is checked.
  { method: "DELETE", path: `${core}/configmaps`, asks: "DELETE configmaps c" },
  { method: "PUT", path: `${core}/pods/p/status`, body: podWithStatus(), asks: "UPDATE pods/status p" },
  { method: "PATCH", path: `${core}/pods/p/status`, body: statusPatch(), type: merge, asks: "UPDATE pods/status p" },
  {
    method: "PATCH",
    path: `${core}/pods/p/ephemeralcontainers`,
    body: { ephemeralContainers: [{ name: "debug", image: "i" }] },
    type: strategic,
    asks: "UPDATE pods/ephemeralcontainers p",
  },
  {
    method: "POST",
    path: `${core}/pods/p/binding`,
    body: { metadata: { name: "p" }, target: { name: "n1" } },
    asks: "CREATE pods/binding p",
  },
  { method: "POST", path: `${core}/bindings`, body: bindingOfPod(), asks: "CREATE bindings p" },
  {
    method: "POST",
    path: `${core}/pods/p/eviction`,
    body: { metadata: { name: "p" } },
    asks: "CREATE pods/eviction p",
  },
  {
    method: "PATCH",
    path: `${deployments}/d/scale`,
    body: { spec: { replicas: 7 } },
    type: merge,
    asks: "UPDATE deployments/scale d",
  },
  {
    method: "PATCH",
    path: `${deployments}/d/status`,
    body: { status: { replicas: 7 } },
    type: merge,
    asks: "UPDATE deployments/status d",
  },
  {
    method: "PUT",
    path: "/api/v1/namespaces/n/finalize",
    body: { metadata: { name: "n" }, spec: { finalizers: ["example.com/x"] } },
    asks: "UPDATE namespaces/finalize n",
  },
  {
    method: "POST",
    path: "/apis/authorization.orch.io/v1/selfsubjectaccessreviews",
    body: { spec: { nonResourceAttributes: { path: "/", verb: "get" } } },
    asks: "CREATE selfsubjectaccessreviews ",
  },
];

function podWithStatus() {
  return { metadata: { name: "p" }, spec: podSpec, ...statusPatch() };
}
function statusPatch() {
  return { status: { message: "changed" } };
}
function bindingOfPod() {
  return { metadata: { name: "p" }, target: { name: "n1" } };
}

describe("every write passes admission (C13 in docs/security-rows.md)", () => {
  for (const { method, path, body, type, asks } of ways) {
    for (const dryRun of [false, true]) {
      test(`${method} ${path} ${type ?? ""} ${dryRun ? "as a dry run" : ""}`, async () => {
        const target = dryRun ? `${path}${path.includes("?") ? "&" : "?"}dryRun=All` : path;
        const before = await state();
        gate.isClosed = true;
        gate.asked = [];
        const { status, text } = await send(method, target, body, type);
        gate.isClosed = false;
        expect([status, text]).toEqual([403, expect.stringContaining("is closed")]);
        expect(gate.asked.join(", ")).toBe(asks);
        expect(await state()).toBe(before);
      });
    }
  }
});

/** Everything that the writes above could change. */
async function state(): Promise<string> {
  const paths = [`${core}/configmaps`, `${core}/pods`, deployments, "/api/v1/namespaces", requests];
  const lists = await Promise.all(paths.map(async (path) => (await send("GET", path)).text));
  return lists.map((text) => JSON.stringify(JSON.parse(text).items)).join("\n");
}
