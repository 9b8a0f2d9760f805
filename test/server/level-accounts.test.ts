/** At level 1.35 the controllers of its kinds have work, each as its own account with nothing but its role: no request is forbidden. */

import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { controllers } from "../../src/controllers/list.ts";
import { defaultSettings } from "../../src/controllers/settings.ts";
import { startOwnControllers } from "../../src/main/controllers.ts";
import { openSharedStore, type SharingServer } from "./shared-store.fixture.ts";

type Json = Record<string, unknown>;

function session({ fetch, send }: SharingServer) {
  const write = async (method: string, path: string, body: Json) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await send(method, path, body, type);
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  };
  const get = async (path: string) => (await (await fetch(path)).json()) as Json;
  return {
    post: (path: string, body: Json) => write("POST", path, body),
    patch: (path: string, body: Json) => write("PATCH", path, body),
    remove: (path: string) => fetch(path, { method: "DELETE" }),
    /** `form` matches part of the answer. */
    until: (path: string, form: Json) =>
      expect.poll(() => get(path), { timeout: 60_000, interval: 50 }).toMatchObject(form),
  };
}

const core = "/api/v1/namespaces/default";
const containers = [{ name: "c", image: "i" }];
const selector = { matchLabels: { app: "a" } };
const template = { metadata: { labels: { app: "a" } }, spec: { containers } };
const meta = (name: string) => ({ metadata: { name } });

test("no controller of level 1.35 needs more rights than its own role grants", async () => {
  const store = openSharedStore();
  const server = await store.open({ level: "1.35", authorization: "RBAC" });
  const options = { settings: defaultSettings, clock: systemClock, log: silentLog, useAccounts: true };
  const running = startOwnControllers({ server: server.server, controllers, ...options });
  const { post, patch, remove, until } = session(server);
  try {
    const resource = "/apis/resource.orch.io/v1/namespaces/default/resourceclaimtemplates";
    const devices = { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] };
    await post(resource, { ...meta("fast"), spec: { spec: { devices } } });
    const resourceClaims = [{ name: "gpu", resourceClaimTemplateName: "fast" }];
    await post(`${core}/pods`, { ...meta("p"), spec: { containers, resourceClaims } });
    await until(`${core}/pods/p`, { status: { resourceClaimStatuses: [{ name: "gpu" }] } });
    await patch(`${core}/pods/p/status`, { status: { phase: "Failed" } });
    await until("/apis/resource.orch.io/v1/namespaces/default/resourceclaims", { items: [] });

    const ranges = "/apis/networking.orch.io/v1/servicecidrs";
    await post(ranges, { ...meta("more"), spec: { cidrs: ["10.9.0.0/24"] } });
    await until(`${ranges}/more`, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    await post(`${core}/services`, { ...meta("s"), spec: { clusterIP: "10.9.0.7", ports: [{ port: 80 }] } });
    await remove(`${ranges}/more`);
    await until(`${ranges}/more`, { status: { conditions: [{ reason: "Terminating" }] } });

    const classes = "/apis/storage.orch.io/v1/volumeattributesclasses";
    await post(classes, { ...meta("v"), driverName: "d.example.com", parameters: { a: "b" } });
    await until(`${classes}/v`, { metadata: { finalizers: [expect.stringContaining("vac-protection")] } });
    await remove(`${classes}/v`);
    await until(`${classes}/v`, { code: 404 });

    const policies = "/apis/admissionregistration.orch.io/v1/validatingadmissionpolicies";
    const rule = { operations: ["CREATE"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] };
    const validations = [{ expression: "object.spec.size > 1" }];
    await post(policies, { ...meta("p"), spec: { matchConstraints: { resourceRules: [rule] }, validations } });
    await until(`${policies}/p`, { status: { typeChecking: { expressionWarnings: [{}] } } });

    const sets = "/apis/apps/v1/namespaces/default/statefulsets";
    const resources = { requests: { storage: "1Gi" } };
    const claim = { ...meta("data"), spec: { accessModes: ["ReadWriteOnce"], resources } };
    const persistentVolumeClaimRetentionPolicy = { whenScaled: "Delete", whenDeleted: "Delete" };
    const set = {
      serviceName: "s",
      podManagementPolicy: "Parallel",
      selector,
      template,
      volumeClaimTemplates: [claim],
    };
    await post(sets, { ...meta("db"), spec: { ...set, replicas: 2, persistentVolumeClaimRetentionPolicy } });
    await until(`${core}/persistentvolumeclaims/data-db-1`, { metadata: { ownerReferences: [{ name: "db" }] } });
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
    const scalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    await post(scalers, { ...meta("h"), spec: { minReplicas: 3, maxReplicas: 4, scaleTargetRef } });
    await until(`${sets}/db`, { spec: { replicas: 3 } });

    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const once = { ...template, spec: { containers, restartPolicy: "Never" } };
    await post(jobs, { ...meta("j"), spec: { completions: 1, completionMode: "Indexed", template: once } });
    await until(`${jobs}/j`, { status: { active: 1 } });

    await post("/api/v1/namespaces", meta("gone"));
    await post("/api/v1/namespaces/gone/pods", { ...meta("p"), spec: { containers } });
    // Nothing can be created in a namespace that is being deleted, so its controller first creates the account.
    await until("/api/v1/namespaces/gone/serviceaccounts/default", { metadata: { name: "default" } });
    await remove("/api/v1/namespaces/gone");
    await until("/api/v1/namespaces/gone", { code: 404 });

    const metrics = await (await server.fetch("/metrics")).text();
    const requests = metrics.split("\n").filter((line) => line.startsWith("apiserver_request_total"));
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((line) => line.includes('code="403"'))).toEqual([]);
  } finally {
    await running.close();
    await store.close();
  }
}, 180_000);
