/** One tenant that creates as much as it can, and objects that concern the whole server in large numbers. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { aliceToken, useTarget } from "./target.ts";

const eventBurst = 20;
const mapsMax = 30;
/** How many of each are created at once. */
const atOnce = 20;
/** For machines that others use too. */
const turnMsMax = 500;

const target = useTarget({
  async flags(folder) {
    const limits = [{ type: "User", qps: 1, burst: eventBurst }];
    const eventRateLimit = {
      name: "EventRateLimit",
      configuration: { apiVersion: "eventratelimit.admission.orch.io/v1alpha1", kind: "Configuration", limits },
    };
    const file = join(folder, "admission.json");
    const configuration = { apiVersion: "apiserver.config.orch.io/v1", kind: "AdmissionConfiguration" };
    await writeFile(file, JSON.stringify({ ...configuration, plugins: [eventRateLimit] }));
    return ["--enable-admission-plugins=EventRateLimit", `--admission-control-config-file=${file}`];
  },
});

const asAlice = { token: aliceToken };
const tenant = "/api/v1/namespaces/tenant";

beforeAll(async () => {
  const rbac = "/apis/rbac.authorization.orch.io/v1/namespaces/tenant";
  await target.post("/api/v1/namespaces", { metadata: { name: "tenant" } });
  await target.post(`${rbac}/rolebindings`, {
    metadata: { name: "alice" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "alice" }],
  });
  const hard = { "count/configmaps": String(mapsMax) };
  const quota = { metadata: { name: "quota" }, spec: { hard } };
  await target.post(`${tenant}/resourcequotas`, quota);
  // A quota holds from when a controller has counted what there is; here there is none of them.
  const status = { hard, used: { "count/configmaps": "0" } };
  await target.request(`${tenant}/resourcequotas/quota/status`, { method: "PUT", body: { ...quota, status } });
});

/** How often each status came. */
async function flood(count: number, create: (index: number) => Promise<{ readonly status: number }>) {
  const statuses: Record<number, number> = {};
  for (let first = 0; first < count; first += atOnce) {
    const answers = Array.from({ length: Math.min(atOnce, count - first) }, (_, at) => create(first + at));
    for (const { status } of await Promise.all(answers)) statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

describe("N35 floods", () => {
  test("N35 floods: a quota limits the objects of a tenant in its namespace", async () => {
    const statuses = await target.beside(() =>
      flood(mapsMax * 4, (index) =>
        target.post(`${tenant}/configmaps`, { metadata: { name: `map-${index}` } }, asAlice),
      ),
    );
    expect(statuses).toEqual({ 201: mapsMax, 403: mapsMax * 3 });
  });

  test("N35 floods: Events of one user are limited, those of others are not", async () => {
    const event = (index: number) => ({
      metadata: { name: `event-${index}`, namespace: "tenant" },
      involvedObject: { kind: "Pod", namespace: "tenant", name: "x" },
    });
    const statuses = await target.beside(() =>
      flood(eventBurst * 10, (index) => target.post(`${tenant}/events`, event(index), asAlice)),
    );
    expect(statuses[429]).toBeGreaterThan(eventBurst * 5);
    expect((await target.post(`${tenant}/events`, event(-1))).status).toBe(201);
  });

  const concernsAll = [
    ["definitions", "/apis/apiextensions.orch.io/v1/customresourcedefinitions"],
    ["webhooks", "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations"],
    ["namespaces", "/api/v1/namespaces"],
    ["flow schemas", "/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas"],
  ] as const;
  test.each(concernsAll)("N35 floods: a tenant with all rights in its namespace may create no %s", async (_, path) => {
    expect(await flood(5, (index) => target.post(path, { metadata: { name: `mine-${index}` } }, asAlice))).toEqual({
      403: 5,
    });
  });

  test("N35 floods: many webhooks that do not match cost others little", async () => {
    const path = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";
    const rules = [{ operations: ["*"], apiGroups: ["example.com"], apiVersions: ["*"], resources: ["things"] }];
    const webhook = (index: number) => ({
      metadata: { name: `hook-${index}` },
      webhooks: [
        {
          name: "hook.example.com",
          clientConfig: { url: "https://127.0.0.1:1/" },
          rules,
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    const { result, longestTurnMs } = await target.cost(() =>
      target.beside(() => flood(300, (index) => target.post(path, webhook(index)))),
    );
    expect(result).toEqual({ 201: 300 });
    expect(longestTurnMs).toBeLessThan(turnMsMax);
    expect((await target.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "after" } })).status).toBe(
      201,
    );
  });

  test("N35 floods: many namespaces that never terminate delay neither new ones nor their deletion", async () => {
    const stuck = (index: number) => `stuck-${index}`;
    const { longestTurnMs } = await target.cost(() =>
      target.beside(async () => {
        await flood(200, (index) => target.post("/api/v1/namespaces", { metadata: { name: stuck(index) } }));
        await flood(200, (index) =>
          target.post(`/api/v1/namespaces/${stuck(index)}/configmaps`, {
            metadata: { name: "held", finalizers: ["example.com/held"] },
          }),
        );
        await flood(200, (index) => target.request(`/api/v1/namespaces/${stuck(index)}`, { method: "DELETE" }));
      }),
    );
    expect(longestTurnMs).toBeLessThan(turnMsMax);
    expect((await target.request("/api/v1/namespaces/stuck-7")).body.status.phase).toBe("Terminating");
    expect((await target.post("/api/v1/namespaces", { metadata: { name: "fresh" } })).status).toBe(201);
    expect((await target.request("/api/v1/namespaces/fresh", { method: "DELETE" })).status).toBe(200);
  });
});
