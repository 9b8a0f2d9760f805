import { describe, expect, test } from "vitest";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { createRbac } from "../../authz/rbac.ts";
import { rbacCatalog as catalog } from "../../authz/rbac-catalog.suite.ts";
import { RbacIndex } from "../../authz/rbac-index.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createEscalationCheck } from "./escalation.ts";

const kindOf = (resource: string) => catalog.byResource("rbac.authorization.orch.io", "v1", resource)!;

function setup() {
  const index = new RbacIndex("exact");
  index.setRole("ns", "own", [{ verbs: ["get", "list"], apiGroups: [""], resources: ["endpoints"] }]);
  index.setBinding({
    namespace: "ns",
    name: "own",
    roleRef: { kind: "Role", name: "own" },
    subjects: [{ kind: "User", name: "bob" }],
  });
  index.setRole("ns", "secrets", [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }]);
  const asked: Attributes[] = [];
  const rbac = createRbac(index);
  const authorizer: Authorizer = {
    name: "recorded",
    authorize(attributes) {
      asked.push(attributes);
      return rbac.authorize(attributes);
    },
  };
  const check = createEscalationCheck({ index, authorizer, vocabulary: orch });
  const write = async (resource: string, object: object, more: Partial<AdmissionRequest> = {}) => {
    const request = {
      operation: "CREATE",
      kind: kindOf(resource),
      subresource: "",
      namespace: resource.startsWith("cluster") ? "" : "ns",
      name: "x",
      object: { metadata: { name: "x" }, ...object } as ApiObject,
      old: undefined,
      user: { name: "bob", uid: "", groups: ["system:authenticated"], extra: new Map() },
      ...more,
    } as AdmissionRequest; // the members that the check reads
    expect(check.handles(request)).toBe(true);
    await check.validate?.(request);
  };
  return { index, asked, check, write };
}
const role = (resource: string, verbs = ["get"]) => ({ rules: [{ verbs, apiGroups: [""], resources: [resource] }] });
const forbidden = (resource: string) =>
  expect.objectContaining({ code: 403, details: { group: "rbac.authorization.orch.io", kind: resource, name: "x" } });

describe("users cannot grant rights that they do not hold (D05 in docs/security-rows.md)", () => {
  test("a user may write a role only with rights that the user holds", async () => {
    const { write } = setup();
    await write("roles", role("endpoints"));
    await write("roles", {});
    for (const rules of [role("secrets"), role("endpoints", ["get", "delete"]), role("*"), role("endpoints", ["*"])]) {
      await expect(write("roles", rules)).rejects.toEqual(forbidden("roles"));
    }
  });

  test("missing rights are named", async () => {
    await expect(setup().write("roles", role("secrets"))).rejects.toThrow(/"bob".*\n.*"secrets"/);
  });

  test("rights in a namespace do not apply to the cluster", async () => {
    await expect(setup().write("clusterroles", role("endpoints"))).rejects.toEqual(forbidden("clusterroles"));
  });

  test("writing an aggregated role needs every right, also for an update", async () => {
    const { write } = setup();
    const aggregated = { aggregationRule: { clusterRoleSelectors: [] } };
    await expect(write("clusterroles", aggregated)).rejects.toEqual(forbidden("clusterroles"));
    const old = { metadata: { name: "x", labels: { a: "b" } }, ...aggregated } as ApiObject;
    await expect(write("clusterroles", {}, { operation: "UPDATE", old })).rejects.toEqual(forbidden("clusterroles"));
  });

  test("users with the verb escalate or bind may grant more", async () => {
    const { index, write } = setup();
    index.setRole("", "boss", [
      { verbs: ["escalate", "bind"], apiGroups: ["rbac.authorization.orch.io"], resources: ["roles"] },
    ]);
    const subjects = [{ kind: "User", name: "bob" }];
    index.setBinding({ namespace: "", name: "boss", roleRef: { kind: "ClusterRole", name: "boss" }, subjects });
    await write("roles", role("secrets"));
    await write("rolebindings", { roleRef: { kind: "Role", name: "no-such" } });
    await expect(write("clusterroles", role("secrets"))).rejects.toEqual(forbidden("clusterroles"));
  });

  test("a binding needs the rights of its role, and a role that exists", async () => {
    const { write } = setup();
    await write("rolebindings", { roleRef: { kind: "Role", name: "own" } });
    const to = (name: string, kind = "Role") => ({
      roleRef: { kind, name },
      subjects: [{ kind: "User", name: "bob" }],
    });
    await expect(write("rolebindings", to("secrets"))).rejects.toEqual(forbidden("rolebindings"));
    await expect(write("rolebindings", to("none"))).rejects.toMatchObject({
      code: 404,
      details: { kind: "roles", name: "none" },
    });
    await expect(write("clusterrolebindings", to("none", "ClusterRole"))).rejects.toMatchObject({ code: 404 });
  });

  test("the verb bind is checked for the role by name, in the namespace of the binding", async () => {
    const { asked, write } = setup();
    await write("rolebindings", { roleRef: { kind: "Role", name: "own" } });
    expect(asked).toMatchObject([{ verb: "bind", resource: "roles", namespace: "ns", name: "own" }]);
  });

  test("owner references and finalizers may be changed, labels may not", async () => {
    const { write } = setup();
    const old = { metadata: { name: "x", uid: "1", resourceVersion: "5" }, ...role("secrets") } as ApiObject;
    const update = (metadata: object) =>
      write(
        "roles",
        { ...role("secrets"), metadata: { name: "x", uid: "1", ...metadata } },
        { operation: "UPDATE", old },
      );
    await update({ finalizers: ["a/b"], ownerReferences: [], managedFields: [{}] });
    await expect(update({ labels: { a: "b" } })).rejects.toEqual(forbidden("roles"));
  });

  test("members of system:masters are exempt; deletes and other kinds are not checked", async () => {
    const { write, check } = setup();
    const masters = { name: "x", uid: "", groups: ["system:masters"], extra: new Map() };
    await write("roles", role("*", ["*"]), { user: masters });
    const request = { operation: "DELETE", kind: kindOf("roles"), subresource: "" } as AdmissionRequest;
    expect(check.handles(request)).toBe(false);
    const elsewhere = { ...kindOf("roles"), declared: { ...kindOf("roles").declared } };
    expect(check.handles({ ...request, operation: "CREATE", kind: elsewhere })).toBe(false);
  });
});
