/** Custom resources with other parts of the server: roles, quotas, owners and webhooks. */

import { expect, test } from "vitest";
import { entry, patching, saying } from "../../src/admission/webhooks/webhooks.suite.ts";
import { openHookServer } from "../../src/base/hook-server.suite.ts";
import { createServer } from "../../src/main/library.ts";
import {
  ask,
  definition,
  definitions,
  eventually,
  merge,
  version,
  widget,
  widgets,
  withServer,
} from "./custom-resources.suite.ts";

test("roles with the aggregation labels add custom kinds to admin, edit and view", async () => {
  const server = await createServer({ authorization: "RBAC" });
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  const role = (name: string, to: string[], verbs: string[]) => ({
    metadata: {
      name,
      labels: Object.fromEntries(to.map((one) => [`rbac.authorization.orch.io/aggregate-to-${one}`, "true"])),
    },
    rules: [{ apiGroups: ["example.com"], resources: ["widgets"], verbs }],
  });
  const binding = (name: string) => ({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name },
    subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: `the-${name}` }],
  });
  try {
    await ask(server, "POST", definitions, definition());
    for (const name of ["admin", "edit", "view"])
      await ask(server, "POST", `${rbac}/namespaces/default/rolebindings`, binding(name));
    const codes = async () => {
      const all: Record<string, number[]> = {};
      for (const name of ["admin", "edit", "view"]) {
        const fetch = server.fetchAs({ name: `the-${name}` });
        const body = JSON.stringify(widget("x"));
        const headers = { "content-type": "application/json" };
        const made = await fetch(`${widgets}?dryRun=All`, { method: "POST", headers, body });
        all[name] = [(await fetch(widgets)).status, made.status];
      }
      return all;
    };
    expect(await codes()).toEqual({ admin: [403, 403], edit: [403, 403], view: [403, 403] });
    await ask(
      server,
      "POST",
      `${rbac}/clusterroles`,
      role("widgets-view", ["view", "edit", "admin"], ["get", "list", "watch"]),
    );
    await ask(
      server,
      "POST",
      `${rbac}/clusterroles`,
      role("widgets-edit", ["edit", "admin"], ["create", "update", "patch", "delete"]),
    );
    await expect.poll(codes).toEqual({ admin: [200, 201], edit: [200, 201], view: [200, 403] });
    await ask(server, "DELETE", `${rbac}/clusterroles/widgets-edit`);
    await expect.poll(codes).toEqual({ admin: [200, 403], edit: [200, 403], view: [200, 403] });
  } finally {
    await server.close();
  }
});

test("an object is deleted with its custom owner, and a custom object with its owner", () =>
  withServer(async (server) => {
    const maps = "/api/v1/namespaces/default/configmaps";
    const owner = (apiVersion: string, kind: string, { body }: { body: Record<string, unknown> }) => {
      const { name, uid } = body["metadata"] as { name: string; uid: string };
      return [{ apiVersion, kind, name, uid }];
    };
    const parent = await ask(server, "POST", widgets, widget("parent"));
    const ofWidget = owner("example.com/v1", "Widget", parent);
    await ask(server, "POST", maps, { metadata: { name: "child", ownerReferences: ofWidget } });
    await ask(server, "POST", widgets, widget("child", { metadata: { name: "child", ownerReferences: ofWidget } }));
    const map = await ask(server, "POST", maps, { metadata: { name: "owner" } });
    const ofMap = owner("v1", "ConfigMap", map);
    await ask(server, "POST", widgets, widget("owned", { metadata: { name: "owned", ownerReferences: ofMap } }));
    await ask(server, "DELETE", `${widgets}/parent`);
    await ask(server, "DELETE", `${maps}/owner`);
    for (const path of [`${maps}/child`, `${widgets}/child`, `${widgets}/owned`])
      await eventually(async () => (await ask(server, "GET", path)).status === 404);
  }));

test("a webhook sees custom objects in the version of its rule, and its patch is applied in that version", async () => {
  const shown: unknown[] = [];
  const hook = await openHookServer(
    saying((_path, { object, ...request }) => {
      shown.push([
        object.apiVersion,
        (request["resource"] as { version: string }).version,
        (request["requestResource"] as { version: string }).version,
      ]);
      return patching({ op: "add", path: "/spec", value: { color: "patched" } });
    }),
  );
  const two = definition({ versions: [version("v1"), version("v2")] });
  try {
    await withServer(async (server) => {
      const rules = [
        {
          operations: ["CREATE", "UPDATE"],
          apiGroups: ["example.com"],
          apiVersions: ["v1"],
          resources: ["widgets"],
          scope: "*",
        },
      ];
      const path = "/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations";
      const configuration = (matchPolicy: string) => ({
        metadata: { name: matchPolicy.toLowerCase() },
        webhooks: [entry(hook, "patch.example.com", { rules, matchPolicy })],
      });
      expect((await ask(server, "POST", path, configuration("Equivalent"))).status).toBe(201);
      const second = widgets.replace("/v1/", "/v2/");
      const made = await ask(server, "POST", second, widget("a", {}, "example.com/v2"));
      expect([made.status, made.body]).toMatchObject([
        201,
        { apiVersion: "example.com/v2", spec: { color: "patched" } },
      ]);
      await ask(server, "PATCH", `${widgets}/a`, { metadata: { labels: { a: "b" } } }, merge);
      expect(shown).toEqual([
        ["example.com/v1", "v1", "v2"],
        ["example.com/v1", "v1", "v1"],
      ]);
      await ask(server, "DELETE", `${path}/equivalent`);
      expect((await ask(server, "POST", path, configuration("Exact"))).status).toBe(201);
      await ask(server, "POST", second, widget("b", {}, "example.com/v2"));
      expect(shown).toHaveLength(2);
    }, two);
  } finally {
    await hook.close();
  }
});
