import { describe, expect, test } from "vitest";
import type { Credentials } from "../../authn/contract.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import type { User } from "../../machinery/meta/user.ts";
import { hasAt } from "../../machinery/schema/features.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { orch } from "../../vocabulary/orch.ts";
import { groupsMax, impersonate } from "./impersonate.ts";

const caller: User = { name: "root", uid: "1", groups: ["ops"], extra: new Map() };

async function act(
  headers: Record<string, string | string[]>,
  may: (asked: Attributes) => boolean = () => true,
  level: Level = "1.21",
) {
  const table = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  const credentials: Credentials = {
    header: (name) => table.get(name)?.[0],
    headerValues: (name) => table.get(name) ?? [],
    headerNames: () => [...table].flatMap(([name, values]) => values.map(() => name)),
    certificate: undefined,
  };
  const asked: Attributes[] = [];
  const authorizer: Authorizer = {
    name: "test",
    authorize(attributes) {
      asked.push(attributes);
      return { outcome: may(attributes) ? "allow" : "none", reason: "" };
    },
  };
  const user = await impersonate(credentials, caller, authorizer, { vocabulary: orch, has: hasAt(level) });
  return {
    user,
    asked: asked.map(({ group, resource, subresource, namespace, name, verb }) => ({
      group,
      resource,
      subresource,
      namespace,
      name,
      verb,
    })),
  };
}
const target = (resource: string, name: string, more: object = {}) => ({
  group: "",
  resource,
  subresource: "",
  namespace: "",
  name,
  verb: "impersonate",
  ...more,
});

describe("impersonation (D05 in docs/security-rows.md)", () => {
  test("without headers the user is unchanged", async () => {
    expect(await act({ accept: "*/*" })).toEqual({ user: caller, asked: [] });
    expect((await act({ "Impersonate-User": "" })).user).toBe(caller);
    expect((await act({ "Impersonate-Uid": "7" })).user).toBe(caller);
  });

  test("since 1.22 a uid may be impersonated with a user, where that is allowed", async () => {
    const headers = { "Impersonate-User": "ivy", "Impersonate-Uid": "7" };
    const { user, asked } = await act(headers, () => true, "1.35");
    expect([user.name, user.uid]).toEqual(["ivy", "7"]);
    expect(asked.at(-1)).toEqual(target("uids", "7", { group: "authentication.orch.io" }));
    const refused = act(headers, ({ resource }) => resource !== "uids", "1.35");
    await expect(refused).rejects.toMatchObject({ code: 403 });
    await expect(act({ "Impersonate-Uid": "7" }, () => true, "1.35")).rejects.toMatchObject({ code: 400 });
    expect((await act(headers)).user.uid).toBe("");
  });

  test("user, groups and extra attributes are authorized separately", async () => {
    const { user, asked } = await act({
      "Impersonate-User": "ivy",
      "Impersonate-Group": ["zeta", "alpha"],
      "Impersonate-Extra-Acme.com%2Fteam": ["a%2Fb", "c"],
    });
    expect(user).toEqual({
      name: "ivy",
      uid: "",
      groups: ["zeta", "alpha", "system:authenticated"],
      extra: new Map([["acme.com/team", ["a%2Fb", "c"]]]),
    });
    const extra = { group: "authentication.orch.io", subresource: "acme.com/team" };
    expect(asked).toEqual([
      target("users", "ivy"),
      target("groups", "zeta"),
      target("groups", "alpha"),
      target("userextras", "a%2Fb", extra),
      target("userextras", "c", extra),
    ]);
  });

  test("a service account is authorized as one, and has its own groups unless some are given", async () => {
    const name = "system:serviceaccount:ns:sa";
    const alone = await act({ "Impersonate-User": name });
    expect(alone.asked).toEqual([target("serviceaccounts", "sa", { namespace: "ns" })]);
    expect(alone.user.groups).toEqual(["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"]);
    const grouped = await act({ "Impersonate-User": name, "Impersonate-Group": "g" });
    expect(grouped.user.groups).toEqual(["g", "system:authenticated"]);
    expect((await act({ "Impersonate-User": "system:serviceaccount:ns:sa:x" })).asked).toEqual([
      target("users", "system:serviceaccount:ns:sa:x"),
    ]);
  });

  test("every user but anonymous gets the group system:authenticated", async () => {
    expect((await act({ "Impersonate-User": "system:anonymous" })).user.groups).toEqual(["system:unauthenticated"]);
    for (const group of ["system:authenticated", "system:unauthenticated"]) {
      expect((await act({ "Impersonate-User": "x", "Impersonate-Group": group })).user.groups).toEqual([group]);
    }
  });

  test("the refusal names the first part that is not allowed (N34 in docs/security-rows.md)", async () => {
    const headers = { "Impersonate-User": "ivy", "Impersonate-Group": ["a", "b"], "Impersonate-Extra-X": "y" };
    await expect(act(headers, ({ resource }) => resource !== "users")).rejects.toMatchObject({
      code: 403,
      details: { kind: "users", name: "ivy" },
    });
    await expect(act(headers, ({ name }) => name !== "b")).rejects.toMatchObject({
      details: { kind: "groups", name: "b" },
    });
    await expect(act(headers, ({ resource }) => resource !== "userextras")).rejects.toMatchObject({
      details: { kind: "userextras", group: "authentication.orch.io", name: "y" },
    });
  });

  test("groups or extra attributes without a user are a bad request (N34)", async () => {
    for (const headers of [
      { "Impersonate-Group": "system:masters" },
      { "Impersonate-Extra-A": "b" },
      { "Impersonate-User": "", "Impersonate-Group": "g" },
    ]) {
      await expect(act(headers)).rejects.toMatchObject({ code: 400 });
    }
  });

  test("more groups than the limit are refused (N34)", async () => {
    const groups = Array.from({ length: groupsMax + 1 }, (_, i) => `g${i}`);
    await expect(act({ "Impersonate-User": "x", "Impersonate-Group": groups })).rejects.toMatchObject({ code: 400 });
    expect((await act({ "Impersonate-User": "x", "Impersonate-Group": groups.slice(1) })).asked).toHaveLength(
      groupsMax + 1,
    );
    const values = Array.from({ length: 101 }, (_, i) => `${i}`);
    await expect(act({ "Impersonate-User": "x", "Impersonate-Extra-A": values })).rejects.toMatchObject({ code: 400 });
  });

  test("one header line is one group, never split at commas (N17)", async () => {
    const { user } = await act({ "Impersonate-User": "x", "Impersonate-Group": "dev,system:masters" });
    expect(user.groups).toEqual(["dev,system:masters", "system:authenticated"]);
  });

  test("unusual keys of extra attributes are kept (N34)", async () => {
    const { user } = await act({
      "Impersonate-User": "x",
      "Impersonate-Extra-__proto__": "a",
      "Impersonate-Extra-%2e%2e": "b",
      "Impersonate-Extra-%zz": "c",
    });
    expect([...user.extra]).toEqual([
      ["__proto__", ["a"]],
      ["..", ["b"]],
      ["%zz", ["c"]],
    ]);
  });
});
