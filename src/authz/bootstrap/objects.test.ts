import { describe, expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { PolicyRule } from "../policy-rule.ts";
import { createRbac } from "../rbac.ts";
import { type Binding, RbacIndex } from "../rbac-index.ts";
import { bootstrapObjects } from "./objects.ts";

type Loose = { rules?: PolicyRule[] | null; roleRef?: Binding["roleRef"]; subjects?: Binding["subjects"] };

function start(narrowEdit = false) {
  const index = new RbacIndex("exact");
  for (const object of bootstrapObjects({ vocabulary: orch, narrowEdit })) {
    const { namespace = "", name = "" } = object.metadata;
    const { rules, roleRef, subjects = [] } = object as Loose;
    if (roleRef) index.setBinding({ namespace, name, roleRef, subjects });
    else index.setRole(namespace, name, rules);
  }
  const authorizer = createRbac(index);
  const can = (
    groups: string[],
    verb: string,
    what: { path: string } | { resource: string; group?: string },
    user = "u",
  ) => {
    const isResource = "resource" in what;
    const decision = authorizer.authorize({
      user: { name: user, uid: "", groups, extra: new Map() },
      verb,
      isResource,
      path: isResource ? "" : what.path,
      group: isResource ? (what.group ?? "") : "",
      version: "v1",
      resource: isResource ? what.resource : "",
      subresource: "",
      namespace: isResource ? "ns" : "",
      name: "",
    });
    return (decision as { outcome: string }).outcome === "allow";
  };
  return { index, can };
}

describe("the roles every server starts with", () => {
  test("there are as many as in v1.21, each with the bootstrapping label", () => {
    const objects = bootstrapObjects({ vocabulary: orch });
    const count = (kind: string) => objects.filter((object) => object.kind === kind).length;
    expect([count("ClusterRole"), count("ClusterRoleBinding"), count("Role"), count("RoleBinding")]).toEqual([
      62, 43, 7, 7,
    ]);
    for (const object of objects) {
      expect(object.metadata.labels).toMatchObject({ "orch.io/bootstrapping": "rbac-defaults" });
      expect(object.metadata.annotations).toEqual({ "rbac.authorization.orch.io/autoupdate": "true" });
    }
  });

  test("level 1.35 has its own: rules, roles and subjects that came or went", () => {
    const objects = bootstrapObjects({ vocabulary: orch, level: "1.35" });
    const count = (kind: string) => objects.filter((object) => object.kind === kind).length;
    expect([count("ClusterRole"), count("ClusterRoleBinding"), count("Role"), count("RoleBinding")]).toEqual([
      68, 49, 7, 7,
    ]);
    const rulesOf = (name: string) =>
      (objects.find(({ metadata }) => metadata.name === name) as Loose | undefined)?.rules ?? [];
    const resources = rulesOf("system:aggregate-to-edit").flatMap((rule) => rule.resources ?? []);
    expect(resources).toContain("pods/eviction");
    expect(resources).not.toContain("endpoints");
    expect(rulesOf("system:basic-user")[1]?.resources).toEqual(["selfsubjectreviews"]);
    expect(JSON.stringify(objects)).not.toMatch(/"span"/);
  });

  test("they use the vocabulary of their server", () => {
    const text = JSON.stringify(bootstrapObjects({ vocabulary: kubernetes }));
    expect(text).not.toMatch(/orch/);
    expect(text).toContain('"system:kube-scheduler"');
    expect(text).toContain('"rbac.authorization.kubernetes.io/autoupdate"');
    expect(text).toContain('"kubernetes.io/kube-apiserver-client-kubelet"');
  });

  test("anonymous callers may only get health and version (D02 in docs/security-rows.md)", () => {
    const { can } = start();
    const anonymous = ["system:unauthenticated"];
    for (const path of ["/livez", "/readyz", "/healthz", "/version", "/version/"]) {
      expect(can(anonymous, "get", { path }), path).toBe(true);
      for (const verb of ["post", "put", "delete", "patch", "options"])
        expect(can(anonymous, verb, { path })).toBe(false);
    }
    for (const path of ["/", "/api", "/apis", "/metrics", "/openapi/v2", "/healthz/ping", "/logs", "/openid/v1/jwks"]) {
      expect(can(anonymous, "get", { path }), path).toBe(false);
    }
    for (const verb of ["get", "list", "create"]) expect(can(anonymous, verb, { resource: "pods" })).toBe(false);
  });

  test("discovery and self reviews are for authenticated users (D03)", () => {
    const { can } = start();
    const somebody = ["system:authenticated"];
    for (const path of ["/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v2"]) {
      expect(can(somebody, "get", { path }), path).toBe(true);
    }
    const group = "authorization.orch.io";
    expect(can(somebody, "create", { resource: "selfsubjectaccessreviews", group })).toBe(true);
    expect(can(somebody, "create", { resource: "subjectaccessreviews", group })).toBe(false);
    expect(can(somebody, "get", { resource: "pods" })).toBe(false);
  });

  test("the narrow edit role allows neither writing Endpoints nor acting as a service account (C16, B06)", () => {
    const editor = { kind: "User", name: "ed" };
    const roleRef = { kind: "ClusterRole", name: "system:aggregate-to-edit" };
    for (const narrow of [false, true]) {
      const { index, can } = start(narrow);
      index.setBinding({ namespace: "ns", name: "e", roleRef, subjects: [editor] });
      for (const verb of ["create", "update", "patch", "delete"]) {
        expect(can([], verb, { resource: "endpoints" }, "ed"), verb).toBe(!narrow);
        expect(can([], verb, { resource: "services" }, "ed"), verb).toBe(true);
      }
      expect(can([], "impersonate", { resource: "serviceaccounts" }, "ed")).toBe(!narrow);
    }
  });
});
