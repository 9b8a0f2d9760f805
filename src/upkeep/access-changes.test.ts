import { expect, test } from "vitest";
import { createServer } from "../main/library.ts";

test("a watch ends soon after the binding that allowed it is deleted, and cannot begin again", async () => {
  const server = await createServer({ authorization: "RBAC" });
  try {
    const rbac = "/apis/rbac.authorization.orch.io/v1/namespaces/default";
    const post = (path: string, body: object) =>
      server.fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const role = { metadata: { name: "r" }, rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["watch"] }] };
    expect((await post(`${rbac}/roles`, role)).status).toBe(201);
    const apiGroup = "rbac.authorization.orch.io";
    const binding = {
      metadata: { name: "b" },
      roleRef: { apiGroup, kind: "Role", name: "r" },
      subjects: [{ apiGroup, kind: "User", name: "ann" }],
    };
    expect((await post(`${rbac}/rolebindings`, binding)).status).toBe(201);
    const asAnn = server.fetchAs({ name: "ann" });
    const path = "/api/v1/namespaces/default/secrets?watch=1&resourceVersion=0";
    const watch = await asAnn(path);
    expect(watch.status).toBe(200);
    await server.fetch(`${rbac}/rolebindings/b`, { method: "DELETE" });
    const text = await watch.text(); // resolves when the watch has ended
    expect(text).not.toContain("ERROR");
    expect((await asAnn(path)).status).toBe(403);
  } finally {
    await server.close();
  }
});
