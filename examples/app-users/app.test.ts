import { createServer } from "orch";
import { connect, RoleBinding } from "orch/client";
import { expect, test } from "vitest";
import { createApp } from "./app.ts";

test("users of the app are users of the API, with the rights of their teams", async () => {
  await using server = await createServer({ authorization: "RBAC" });
  await using admin = await connect({ server });
  await admin.of(RoleBinding).create({
    metadata: { name: "shop" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "Group", name: "shop" }],
  });
  await server.settled();
  const app = createApp(server);
  const codeOf = async (path: string, cookie: string) =>
    (await app(new Request(`http://shop.example${path}`, { headers: { cookie } }))).status;
  const maps = "/cluster/api/v1/namespaces/default/configmaps";
  expect(await codeOf(maps, "session=s1")).toBe(200);
  expect(await codeOf(maps, "session=s2")).toBe(403);
  expect(await codeOf(maps, "session=forged")).toBe(403);
  expect(await codeOf("/", "")).toBe(200);
});
