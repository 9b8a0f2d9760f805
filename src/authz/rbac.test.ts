import { describe, expect, test } from "vitest";
import { checksCaches } from "../base/cache-check.ts";
import { measureWork } from "../base/processor-time.suite.ts";
import type { User } from "../machinery/meta/user.ts";
import type { Attributes } from "./contract.ts";
import { explain, whoCan } from "./explain.ts";
import { createRbac } from "./rbac.ts";
import { type Binding, RbacIndex } from "./rbac-index.ts";
import { nameKey } from "./subject-names.ts";

const user = (name: string, ...groups: string[]): User => ({ name, uid: "", groups, extra: new Map() });
const question = (who: User, what: Partial<Attributes>): Attributes => ({
  user: who,
  verb: "get",
  isResource: true,
  path: "",
  group: "",
  version: "v1",
  resource: "configmaps",
  subresource: "",
  namespace: "dev",
  name: "",
  ...what,
});
const bind = (
  namespace: string,
  name: string,
  roleRef: Binding["roleRef"],
  ...subjects: Binding["subjects"][number][]
) => ({
  namespace,
  name,
  roleRef,
  subjects,
});
const ann = { kind: "User", name: "ann" };

function world() {
  const index = new RbacIndex("folded");
  index.setRole("dev", "reader", [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }]);
  index.setRole("", "everything", [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["get"], nonResourceURLs: ["/metrics"] },
  ]);
  index.setBinding(bind("dev", "b", { kind: "Role", name: "reader" }, ann));
  return { index, authorizer: createRbac(index) };
}

describe("RBAC", () => {
  test("a decision names the binding, the role and the subject", async () => {
    expect(await world().authorizer.authorize(question(user("ann"), {}))).toEqual({
      outcome: "allow",
      reason: 'RBAC: allowed by RoleBinding "b/dev" of Role "reader" to User "ann"',
    });
  });

  test("without a binding a user has no rights", async () => {
    const decision = await world().authorizer.authorize(question(user("bob", "system:authenticated"), {}));
    expect(decision).toEqual({ outcome: "none", reason: "" });
  });

  test("several missing roles are told as a list", async () => {
    const { index, authorizer } = world();
    for (const name of ["gone", "lost"])
      index.setBinding(bind("dev", `to-${name}`, { kind: "Role", name }, { kind: "Group", name: "ops" }));
    const missing = '[role "gone" not found, role "lost" not found]';
    expect(await authorizer.authorize(question(user("bob", "ops"), {}))).toMatchObject({ reason: `RBAC: ${missing}` });
    expect(await authorizer.rulesFor?.(user("bob", "ops"), "dev")).toMatchObject({ evaluationError: missing });
  });

  test("a binding whose metadata alone changed is not indexed again, and one with other subjects is", async () => {
    const { index, authorizer } = world();
    const bound = (...names: readonly string[]) =>
      bind("dev", "c", { kind: "ClusterRole", name: "everything" }, ...names.map((name) => ({ kind: "User", name })));
    const [first, same] = [bound("eve"), bound("eve")];
    index.setBinding(first);
    index.setBinding(same);
    expect([[...index.bindings()].includes(first), [...index.bindings()].includes(same)]).toEqual([true, false]);
    const outcome = async (name: string) => (await authorizer.authorize(question(user(name), {}))).outcome;
    for (const names of [["eve", "max"], ["max"], ["max", "max"], []]) {
      index.setBinding(bound(...names));
      expect([await outcome("eve"), await outcome("max")]).toEqual(
        ["eve", "max"].map((name) => (names.includes(name) ? "allow" : "none")),
      );
    }
  });

  test("a binding to a missing role grants nothing, and the reason names it", async () => {
    const { index, authorizer } = world();
    index.setBinding(bind("dev", "c", { kind: "Role", name: "gone" }, { kind: "Group", name: "ops" }));
    expect(await authorizer.authorize(question(user("bob", "ops"), {}))).toEqual({
      outcome: "none",
      reason: 'RBAC: role "gone" not found',
    });
    expect(await authorizer.rulesFor?.(user("bob", "ops"), "dev")).toMatchObject({
      incomplete: false,
      evaluationError: 'role "gone" not found',
    });
  });

  test("a cluster role bound in a namespace grants there only, and no paths", async () => {
    const { index, authorizer } = world();
    index.setBinding(bind("dev", "c", { kind: "ClusterRole", name: "everything" }, { kind: "User", name: "eve" }));
    const allows = async (what: Partial<Attributes>) =>
      (await authorizer.authorize(question(user("eve"), what))).outcome === "allow";
    expect(await allows({ resource: "secrets" })).toBe(true);
    expect(await allows({ namespace: "other" })).toBe(false);
    expect(await allows({ namespace: "" })).toBe(false);
    expect(await allows({ isResource: false, path: "/metrics" })).toBe(false);
    index.setBinding(bind("", "c", { kind: "ClusterRole", name: "everything" }, { kind: "User", name: "eve" }));
    expect(await allows({ namespace: "" })).toBe(true);
    expect(await allows({ isResource: false, path: "/metrics" })).toBe(true);
  });

  test("rules are listed once for each binding, cluster-wide ones first", async () => {
    const { index, authorizer } = world();
    const both = [ann, { kind: "Group", name: "dev" }];
    index.setBinding(bind("", "z", { kind: "ClusterRole", name: "everything" }, ...both));
    expect(await authorizer.rulesFor?.(user("ann", "dev"), "dev")).toEqual({
      resourceRules: [
        { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [] },
        { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: [] },
      ],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
      incomplete: false,
    });
  });

  test("names are compared without case, but never become reserved ones", () => {
    const same = (a: string, b: string) => nameKey(a, "folded") === nameKey(b, "folded");
    expect(same("Ann", "aNN")).toBe(true);
    expect(same("ÉTÉ", "été")).toBe(true);
    expect(same("system:masters", "SYSTEM:masters")).toBe(false);
    expect(same("system:masters", "system:Masters")).toBe(false);
    expect(same("\u212Aate", "kate")).toBe(false);
    expect(nameKey("Ann", "exact")).not.toBe(nameKey("ann", "exact"));
  });

  test("names that every object inherits are names like any other (N03 in docs/security-rows.md)", async () => {
    const { index, authorizer } = world();
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const asked = question(user(name, name), { verb: name, resource: name, namespace: name, name });
      expect((await authorizer.authorize(asked)).outcome, name).toBe("none");
      index.setRole(name, name, [{ verbs: [name], apiGroups: [""], resources: [name], resourceNames: [name] }]);
      index.setBinding(bind(name, name, { kind: "Role", name }, { kind: "Group", name }));
      expect((await authorizer.authorize(asked)).outcome, name).toBe("allow");
    }
  });

  test.skipIf(checksCaches)(
    "thousands of other bindings, also of the user's group, do not slow down a decision",
    async () => {
      const { index, authorizer } = world();
      for (let i = 0; i < 5_000; i++) {
        index.setRole("dev", `r${i}`, [
          { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [`n${i}`] },
        ]);
        index.setBinding(bind("dev", `r${i}`, { kind: "Role", name: `r${i}` }, { kind: "Group", name: "dev" }));
        index.setBinding(
          bind("", `o${i}`, { kind: "ClusterRole", name: "everything" }, { kind: "User", name: `o${i}` }),
        );
      }
      const asked = question(user("ann", "dev"), { resource: "secrets", name: "n4999" });
      expect((await authorizer.authorize(asked)).outcome).toBe("allow");
      const spentMs = measureWork();
      for (let i = 0; i < 2_000; i++) authorizer.authorize(asked);
      // A scan of ten thousand bindings each time would take minutes.
      expect(spentMs()).toBeLessThan(2_000);
    },
  );
});

describe("explanations", () => {
  test("every path that grants a right is listed", () => {
    const { index } = world();
    index.setBinding(bind("", "all", { kind: "ClusterRole", name: "everything" }, { kind: "Group", name: "ops" }));
    const { allowed, granted } = explain(index, question(user("ann", "ops"), {}));
    expect(allowed).toBe(true);
    expect(granted.map(({ binding, role }) => [binding, role])).toEqual([
      [
        { namespace: "", name: "all" },
        { kind: "ClusterRole", name: "everything" },
      ],
      [
        { namespace: "dev", name: "b" },
        { kind: "Role", name: "reader" },
      ],
    ]);
  });

  test("if nothing grants it, the closest rule and the missing one are shown", () => {
    expect(explain(world().index, question(user("ann"), { verb: "delete", name: "x" }))).toEqual({
      allowed: false,
      granted: [],
      nearest: [
        {
          subject: ann,
          binding: { namespace: "dev", name: "b" },
          role: { kind: "Role", name: "reader" },
          rule: { verbs: ["get"], apiGroups: [""], resources: ["configmaps"] },
          differs: ["verb"],
        },
      ],
      missing: { verbs: ["delete"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["x"] },
    });
  });

  test("all subjects with the right are found, in the namespace and cluster-wide", () => {
    const { index } = world();
    index.setBinding(bind("", "all", { kind: "ClusterRole", name: "everything" }, { kind: "Group", name: "ops" }));
    index.setBinding(bind("other", "b", { kind: "ClusterRole", name: "everything" }, { kind: "User", name: "eve" }));
    const holders = (what: Partial<Attributes>) =>
      whoCan(index, question(user(""), what)).map(({ subject }) => subject.name);
    expect(holders({})).toEqual(["ann", "ops"]);
    expect(holders({ namespace: "other" })).toEqual(["ops", "eve"]);
    expect(holders({ isResource: false, path: "/metrics" })).toEqual(["ops"]);
  });
});
