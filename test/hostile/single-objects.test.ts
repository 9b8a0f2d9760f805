/** Single objects that are allowed but large: nothing that is done about one of them keeps the event loop for long. */

import { describe, expect, test } from "vitest";
import { checkTurns, pause, useTarget } from "./target.ts";

const target = useTarget({
  command: "up",
  explainsTurns: true,
  flags: () => ["--nodes=2", "--emulated-version=1.35"],
});

/** How long controllers, scheduler and nodes look at an object once it exists. */
const quietMs = 2_000;
const limit = 60_000;

const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

interface Case {
  readonly what: string;
  readonly path: string;
  readonly body: object;
  /** Default: 201. */
  readonly status?: number;
  /** Whether it is deleted at the end of its case: it goes on working. */
  readonly ends?: boolean;
}

/** Each costs about as much to compile as its 400 characters allow. */
const expression = (at: number) => items(8, (n) => `device.attributes["a.b"].x${n} > ${at}`).join(" && ");

const pods = "/api/v1/namespaces/default/pods";
const container = { name: "c", image: "i" };
const pod = (name: string, spec: object, metadata: object = {}): Pick<Case, "path" | "body"> => ({
  path: pods,
  body: { metadata: { name, ...metadata }, spec: { containers: [container], ...spec } },
});
const job = (name: string, spec: object): Pick<Case, "path" | "body" | "ends"> => ({
  ends: true,
  path: "/apis/batch/v1/namespaces/default/jobs",
  body: {
    metadata: { name },
    spec: { ...spec, template: { spec: { restartPolicy: "Never", containers: [container] } } },
  },
});
const ports = (count: number, first: number) => ({
  containers: [{ ...container, ports: items(count, (at) => ({ containerPort: at + 1, hostPort: at + first })) }],
});

const cases: readonly Case[] = [
  {
    what: "a claim of 1,024 selectors of devices",
    path: "/apis/resource.orch.io/v1/namespaces/default/resourceclaims",
    body: {
      metadata: { name: "x" },
      spec: {
        devices: {
          requests: items(32, (at) => ({
            name: `r${at}`,
            exactly: {
              deviceClassName: "gpu",
              selectors: items(32, (n) => ({ cel: { expression: expression(at * 32 + n) } })),
            },
          })),
        },
      },
    },
  },
  {
    what: "a claim of 8,000 alternatives to a request of a very long name",
    path: "/apis/resource.orch.io/v1/namespaces/default/resourceclaims",
    body: {
      metadata: { name: "x" },
      spec: {
        devices: {
          requests: [
            {
              name: "x".repeat(24_000),
              firstAvailable: items(8_000, (at) => ({ name: `a${at}`, deviceClassName: "gpu" })),
            },
          ],
        },
      },
    },
    status: 422,
  },
  {
    what: "a pod of a very long name that makes 3,000 claims",
    ...pod("x".repeat(20_000), {
      volumes: items(3_000, (at) => ({
        name: `v${at}`,
        ephemeral: {
          volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } } },
        },
      })),
    }),
    status: 422,
  },
  {
    what: "a pod of 2,000 init containers",
    ...pod("inits", { initContainers: items(2_000, (at) => ({ name: `i${at}`, image: "i" })) }),
  },
  {
    what: "a pod of 2,000 containers that all start at once",
    ...pod("containers", { containers: items(2_000, (at) => ({ name: `c${at}`, image: "i" })) }),
  },
  { what: "a pod of 12,000 ports of its node", ...pod("ports", ports(12_000, 1)) },
  { what: "a pod of 12,000 other ports of the node", ...pod("other-ports", ports(12_000, 20_000)) },
  { what: "a third pod of 12,000 ports, on a node that others have ports of", ...pod("more", ports(12_000, 40_000)) },
  {
    what: "a pod of 9,000 owners, each of its own kind",
    ...pod(
      "owners",
      {},
      {
        ownerReferences: items(9_000, (at) => ({
          apiVersion: "example.com/v1",
          kind: `Kind${at}`,
          name: `o${at}`,
          uid: `u${at}`,
        })),
      },
    ),
  },
  { what: "a Job of the highest parallelism that there is", ...job("parallel", { parallelism: 2 ** 31 - 1 }) },
  {
    what: "a Job of 100,000 indexes, all of them at once",
    ...job("indexes", { parallelism: 100_000, completions: 100_000, completionMode: "Indexed" }),
  },
];

test("100 quotas of 200 names beside a pod that they count", { timeout: limit }, async () => {
  const cost = await target.cost(async () => {
    const hard = Object.fromEntries(items(200, (at) => [`requests.example.com/r${at}`, "5"]));
    for (let at = 0; at < 100; at++) {
      const body = { metadata: { name: `q${at}` }, spec: { hard } };
      expect((await target.post("/api/v1/namespaces/default/resourcequotas", body)).status).toBe(201);
    }
    const { path, body } = pod("counted", {});
    expect((await target.post(path, body)).status).toBe(201);
    await pause(quietMs);
  });
  checkTurns(cost);
});

describe("one large object", () => {
  for (const { what, path, body, status = 201, ends = false } of cases)
    test(what, { timeout: limit }, async () => {
      const cost = await target.cost(async () => {
        const answer = await target.post(path, body);
        await pause(quietMs);
        if (ends) {
          const at = `${path}/${answer.body.metadata.name}?propagationPolicy=Background`;
          expect((await target.request(at, { method: "DELETE" })).status).toBe(200);
        }
        return answer;
      });
      expect([cost.result.status, cost.result.text.slice(0, 200)]).toEqual([status, expect.anything()]);
      checkTurns(cost);
    });
});
