import { describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const group = "/apis/access.orch.io/v1alpha1";
const rbac = "rbac.authorization.orch.io";

async function ask(fetch: OrchServer["fetch"], path: string, body: object): Promise<[number, Record<string, unknown>]> {
  const answer = await fetch(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return [answer.status, (await answer.json()) as Record<string, unknown>];
}
const explanation = (spec: object) => ({ apiVersion: "access.orch.io/v1alpha1", kind: "AccessExplanation", spec });
const holders = (spec: object) => ({ apiVersion: "access.orch.io/v1alpha1", kind: "AccessHolders", spec });

async function withRoles(run: (server: OrchServer) => Promise<void>): Promise<void> {
  await using server = await createServer({
    authorization: "RBAC",
    runtimeConfig: { "access.orch.io/v1alpha1": true },
  });
  await ask(server.fetch, `/apis/${rbac}/v1/namespaces/default/roles`, {
    metadata: { name: "reader" },
    rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }],
  });
  await ask(server.fetch, `/apis/${rbac}/v1/namespaces/default/rolebindings`, {
    metadata: { name: "readers" },
    roleRef: { apiGroup: rbac, kind: "Role", name: "reader" },
    subjects: [{ kind: "User", apiGroup: rbac, name: "jane" }],
  });
  await run(server);
}

const pods = (verb: string) => ({ namespace: "default", verb, resource: "pods" });
const path = {
  subject: { kind: "User", apiGroup: rbac, name: "jane" },
  binding: { kind: "RoleBinding", namespace: "default", name: "readers" },
  role: { kind: "Role", name: "reader" },
  rule: { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] },
};

describe("access reviews beyond v1.21", () => {
  test("explain why a user has a right: by which binding, role and rule", () =>
    withRoles(async ({ fetch }) => {
      const [code, { status }] = await ask(
        fetch,
        `${group}/accessexplanations`,
        explanation({ user: "jane", resourceAttributes: pods("get") }),
      );
      expect([code, status]).toEqual([201, { allowed: true, granted: [path] }]);
    }));

  test("explain what is missing, and which rule comes closest", () =>
    withRoles(async ({ fetch }) => {
      const [, { status }] = await ask(
        fetch,
        `${group}/accessexplanations`,
        explanation({ user: "jane", resourceAttributes: pods("delete") }),
      );
      expect(status).toEqual({
        allowed: false,
        nearest: [{ ...path, differs: ["verb"] }],
        missing: { verbs: ["delete"], apiGroups: [""], resources: ["pods"] },
      });
    }));

  test("list who has a right, and through what", () =>
    withRoles(async ({ fetch }) => {
      const [, { status }] = await ask(fetch, `${group}/accessholders`, holders({ resourceAttributes: pods("get") }));
      const found = (status as { holders: { subject: { name: string } }[] }).holders;
      expect(found).toContainEqual(path);
      expect(found.map(({ subject }) => subject.name)).toContain("system:masters");
    }));

  test("need a right of their own", () =>
    withRoles(async (server) => {
      const body = holders({ resourceAttributes: pods("get") });
      const asJane = server.fetchAs({ name: "jane", groups: ["system:authenticated"] });
      expect((await ask(asJane, `${group}/accessholders`, body))[0]).toBe(403);
    }));

  test("are not served unless they are requested", async () => {
    await using server = await createServer({ authorization: "RBAC" });
    expect((await server.fetch(`${group}/accessholders`, { method: "POST", body: "{}" })).status).toBe(404);
    expect(await (await server.fetch("/apis")).text()).not.toContain("access.orch.io");
    expect(await (await server.fetch("/openapi/v2")).text()).not.toContain("AccessExplanation");
  });
});
