import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

for (const emulatedVersion of ["1.21", "1.35"] as const)
  describe(`at level ${emulatedVersion}`, () => {
    let server: OrchServer;
    const send = async (method: string, path: string, body?: object, as?: string) => {
      const json = { "content-type": "application/json" };
      const init = { method, headers: json, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const fetch = as === undefined ? server.fetch : server.fetchAs({ name: as, groups: ["system:authenticated"] });
      const answer = await fetch(path, init);
      return { code: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    beforeAll(async () => {
      server = await createServer({ controllers: false, authorization: "RBAC", emulatedVersion });
    });
    afterAll(() => server.close());

    test("an address may be ready and not ready in one subset of Endpoints", async () => {
      const address = [{ ip: "192.0.2.1" }];
      const subsets = [{ addresses: address, notReadyAddresses: address, ports: [{ port: 80 }] }];
      const object = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "both" }, subsets };
      expect((await send("POST", "/api/v1/namespaces/default/endpoints", object)).code).toBe(201);
    });

    test("conditions of a ReplicationController are not checked", async () => {
      const path = "/api/v1/namespaces/default/replicationcontrollers";
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
      const rc = { apiVersion: "v1", kind: "ReplicationController", metadata: { name: "rc" } };
      const made = await send("POST", path, { ...rc, spec: { replicas: 0, selector: { a: "b" }, template } });
      expect(made.code).toBe(201);
      const status = { replicas: 0, conditions: [{ type: "Odd", status: "Perhaps" }] };
      const written = await send("PUT", `${path}/rc/status`, { ...made.body, status });
      expect(written).toMatchObject({
        code: 200,
        body: { status: { conditions: [{ type: "Odd", status: "Perhaps" }] } },
      });
    });

    test("a deletion cost that is not a number is refused", async () => {
      const metadata = { name: "p", annotations: { "controller.orch.io/pod-deletion-cost": "much" } };
      const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "c", image: "i" }] } };
      expect((await send("POST", "/api/v1/namespaces/default/pods", pod)).code).toBe(422);
    });

    test("a path under /proxy/ needs the verb proxy, and is not found with it", async () => {
      const path = "/api/v1/proxy/namespaces/default/pods/p/metrics";
      const refused = await send("GET", path, undefined, "jane");
      expect(refused.code).toBe(403);
      expect(refused.body["message"]).toContain(
        'cannot proxy resource "pods" in API group "" in the namespace "default"',
      );
      const group = "rbac.authorization.orch.io";
      const role = { kind: "ClusterRole", metadata: { name: "proxies" }, apiVersion: `${group}/v1` };
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["proxy"] }];
      expect((await send("POST", `/apis/${group}/v1/clusterroles`, { ...role, rules })).code).toBe(201);
      const binding = { kind: "ClusterRoleBinding", metadata: { name: "proxies" }, apiVersion: `${group}/v1` };
      const roleRef = { apiGroup: group, kind: "ClusterRole", name: "proxies" };
      const subjects = [{ apiGroup: group, kind: "User", name: "jane" }];
      const bound = await send("POST", `/apis/${group}/v1/clusterrolebindings`, { ...binding, roleRef, subjects });
      expect(bound.code).toBe(201);
      await expect.poll(async () => (await send("GET", path, undefined, "jane")).code).toBe(404);
    });

    test("a review for a namespace must name one", async () => {
      const review = { apiVersion: "authorization.orch.io/v1", kind: "LocalSubjectAccessReview" };
      const spec = { user: "jane", resourceAttributes: { verb: "get", resource: "pods" } };
      const path = "/apis/authorization.orch.io/v1/namespaces/default/localsubjectaccessreviews";
      const { code } = await send("POST", path, { ...review, metadata: { namespace: "default" }, spec });
      expect(code).toBe(422);
    });

    test("health as a whole is open to everybody, and single checks are not", async () => {
      const anonymous = server.fetchAs({ name: "system:anonymous", groups: ["system:unauthenticated"] });
      for (const path of ["/healthz", "/livez", "/readyz"]) {
        expect((await anonymous(path)).status).toBe(200);
        expect((await anonymous(`${path}/ping`)).status).toBe(403);
      }
    });
  });
