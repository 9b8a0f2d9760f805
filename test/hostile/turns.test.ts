/** Attacks on the event loop: requests that cost more than their bytes must not keep others waiting. */

import { describe, expect, test } from "vitest";
import { membersMax } from "../../src/machinery/schema/decode-tally.ts";
import type { RequestOptions } from "./target.ts";
import { useTarget } from "./target.ts";

const target = useTarget();

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

/**
 * Processor time of one turn. The aim is 100 ms on a machine that has nothing else to do; on one that is shared the same work takes
 * several times as long.
 */
const turnMsMax = 500;

const keys = (count: number, prefix = "k") =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, "v"]));
const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});
const pod = (name: string, container: Record<string, unknown>) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...container }] },
});
const blockYaml = (name: string, count: number) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${items(count, (at) => `  k${at}: v\n`).join("")}`;

const choices = (count: number) => ({
  type: "string",
  anyOf: items(count, (at) => ({ minLength: 100 + at })),
});
const definition = (property: object) => ({
  metadata: { name: "others.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "others", kind: "Other" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { a: property } } },
      },
    ],
  },
});

interface Attack {
  readonly row: string;
  readonly what: string;
  /** Objects that must be there. */
  readonly before?: readonly [path: string, body: object][];
  readonly path: string;
  readonly options: RequestOptions;
  readonly status: number;
}

const most = 40_000;
/** YAML may have fewer. */
const mostLines = 15_000;
const attacks: readonly Attack[] = [
  {
    row: "N24 key floods",
    what: "a pod of nearly as many variables as there may be",
    path: pods,
    options: { method: "POST", body: pod("env", { env: items(membersMax - 1_000, (at) => ({ name: `E${at}` })) }) },
    status: 201,
  },
  {
    row: "N24 key floods",
    what: "a pod of empty containers, each a hundred times its bytes",
    path: pods,
    options: { method: "POST", bytes: `{"metadata":{"name":"x"},"spec":{"containers":[${"{},".repeat(49_000)}{}]}}` },
    status: 413,
  },
  {
    row: "N24 key floods",
    what: "many lists, each within its bounds",
    path: pods,
    options: {
      method: "POST",
      body: {
        metadata: { name: "x" },
        spec: {
          containers: items(5, (n) => ({
            name: `c${n}`,
            image: "i",
            env: items(20_000, (at) => ({ name: `E${at}` })),
          })),
        },
      },
    },
    status: 413,
  },
  {
    row: "N24 key floods",
    what: "140,000 entries of managed fields",
    path: configMaps,
    options: { method: "POST", body: { metadata: { name: "x", managedFields: items(140_000, () => ({})) } } },
    status: 413,
  },
  {
    row: "N24 key floods",
    what: "a Secret of 40,000 keys",
    path: "/api/v1/namespaces/default/secrets",
    options: {
      method: "POST",
      body: { metadata: { name: "s" }, data: Object.fromEntries(items(most, (at) => [`k${at}`, "YQ=="])) },
    },
    status: 201,
  },
  {
    row: "N24 key floods",
    what: "endpoints of 20,000 addresses",
    path: "/api/v1/namespaces/default/endpoints",
    options: {
      method: "POST",
      body: {
        metadata: { name: "e" },
        subsets: [{ addresses: items(20_000, (at) => ({ ip: `10.0.${at >> 8}.${at & 255}` })), ports: [{ port: 80 }] }],
      },
    },
    status: 201,
  },
  {
    row: "N24 key floods",
    what: "a table of endpoints that are addresses times ports",
    before: [
      [
        "/api/v1/namespaces/default/endpoints",
        {
          metadata: { name: "product" },
          subsets: [
            {
              addresses: items(20_000, (at) => ({ ip: `10.0.${at >> 8}.${at & 255}` })),
              ports: items(20_000, (at) => ({ name: `p${at}`, port: at + 1 })),
            },
          ],
        },
      ],
    ],
    path: "/api/v1/namespaces/default/endpoints/product",
    options: { headers: { accept: "application/json;as=Table;g=meta.orch.io;v=v1" } },
    status: 200,
  },
  {
    row: "N24 key floods",
    what: "a definition whose versions share a large schema",
    path: "/apis/apiextensions.orch.io/v1beta1/customresourcedefinitions",
    options: {
      method: "POST",
      body: {
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          names: { plural: "things", kind: "Thing" },
          versions: items(9_000, (at) => ({ name: `v${at + 1}`, served: true, storage: at === 0 })),
          validation: { openAPIV3Schema: { type: "object", description: "x".repeat(1_000_000) } },
        },
      },
    },
    status: 413,
  },
  {
    row: "N24 key floods",
    what: "a definition whose defaults multiply alternatives by values",
    path: "/apis/apiextensions.orch.io/v1/customresourcedefinitions",
    options: {
      method: "POST",
      body: definition({ type: "array", items: choices(2_000), default: items(2_000, String) }),
    },
    status: 422,
  },
  {
    row: "N24 key floods",
    what: "a definition with more problems than a call takes arguments",
    path: "/apis/apiextensions.orch.io/v1/customresourcedefinitions",
    options: {
      method: "POST",
      body: definition({
        type: "object",
        properties: Object.fromEntries(items(36_000, (at) => [`p${at}`, { id: "x", $ref: "y", uniqueItems: true }])),
      }),
    },
    status: 422,
  },
  {
    row: "N24 key floods",
    what: "a pod of 10,000 spread constraints",
    path: pods,
    options: {
      method: "POST",
      body: {
        metadata: { name: "spread" },
        spec: {
          containers: [{ name: "c", image: "i" }],
          topologySpreadConstraints: items(10_000, (at) => ({
            maxSkew: 1,
            topologyKey: `k${at}`,
            whenUnsatisfiable: "DoNotSchedule",
          })),
        },
      },
    },
    status: 201,
  },
  {
    row: "N08 parsing",
    what: "a create of 40,000 keys",
    path: configMaps,
    options: { method: "POST", body: configMap("create", keys(most)) },
    status: 201,
  },
  {
    row: "N14 YAML",
    what: "a create of 15,000 lines",
    path: configMaps,
    options: { method: "POST", bytes: blockYaml("yaml", mostLines), type: "application/yaml" },
    status: 201,
  },
  {
    row: "N14 YAML",
    what: "a megabyte of the shortest items",
    path: configMaps,
    options: { method: "POST", bytes: `data:\n${"- 1\n".repeat(260_000)}`, type: "application/yaml" },
    status: 413,
  },
  {
    row: "N13 patch cost",
    what: "a merge patch of 40,000 keys",
    before: [[configMaps, configMap("merge", {})]],
    path: `${configMaps}/merge`,
    options: { method: "PATCH", body: { data: keys(most) }, type: merge },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "a merge patch of 200,000 keys",
    before: [[configMaps, configMap("merge-more", {})]],
    path: `${configMaps}/merge-more`,
    options: { method: "PATCH", body: { data: keys(200_000) }, type: merge },
    status: 413,
  },
  {
    row: "N13 patch cost",
    what: "a small patch of a large object",
    before: [[configMaps, configMap("small-patch", keys(most))]],
    path: `${configMaps}/small-patch`,
    options: { method: "PATCH", body: { data: { one: "more" } }, type: merge },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "an update that replaces all keys",
    before: [[configMaps, configMap("replace", keys(most))]],
    path: `${configMaps}/replace`,
    options: { method: "PUT", body: configMap("replace", keys(most, "j")) },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "a strategic merge of 20,000 items by key",
    before: [[pods, pod("strategic", {})]],
    path: `${pods}/strategic`,
    options: {
      method: "PATCH",
      body: { spec: { tolerations: items(20_000, (at) => ({ key: `k${at}`, operator: "Exists" })) } },
      type: strategic,
    },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "10,000 operations",
    before: [[configMaps, configMap("operations", { a: "b" })]],
    path: `${configMaps}/operations`,
    options: {
      method: "PATCH",
      body: items(10_000, (at) => ({ op: "add", path: `/data/k${at}`, value: "v" })),
      type: "application/json-patch+json",
    },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "an apply of 40,000 keys",
    path: `${configMaps}/apply?fieldManager=m`,
    options: { method: "PATCH", body: configMap("apply", keys(most)), type: apply },
    status: 201,
  },
  {
    row: "N13 patch cost",
    what: "an apply that gives up 40,000 keys and sets as many others",
    path: `${configMaps}/apply?fieldManager=m`,
    options: { method: "PATCH", body: configMap("apply", keys(most, "j")), type: apply },
    status: 200,
  },
  {
    row: "N13 patch cost",
    what: "an apply of 200,000 keys",
    path: `${configMaps}/apply-more?fieldManager=m`,
    options: { method: "PATCH", body: configMap("apply-more", keys(200_000)), type: apply },
    status: 413,
  },
  {
    row: "N13 patch cost",
    what: "an apply of 15,000 lines of YAML",
    path: `${configMaps}/apply-yaml?fieldManager=m`,
    options: { method: "PATCH", bytes: blockYaml("apply-yaml", mostLines), type: apply },
    status: 201,
  },
  ...["application/yaml", "application/json;as=Table;g=meta.orch.io;v=v1", "application/vnd.orch.protobuf"].map(
    (accept): Attack => ({
      row: "N08 printing",
      what: `a large object as ${accept}`,
      before: [[pods, pod(`form${accept.length}`, { env: items(most, (at) => ({ name: `E${at}` })) })]],
      path: `${pods}/form${accept.length}`,
      options: { headers: { accept } },
      status: 200,
    }),
  ),
];

describe("time slices of the event loop", () => {
  for (const { row, what, before = [], path, options, status } of attacks) {
    test(`${row}: ${what} does not block other requests`, async () => {
      for (const [at, body] of before) expect((await target.post(at, body)).status).toBe(201);
      const { result, longestTurnMs } = await target.cost(() => target.request(path, options));
      expect([result.status, result.text.slice(0, 200)]).toEqual([status, expect.anything()]);
      expect(longestTurnMs).toBeLessThan(turnMsMax);
    });
  }
});
