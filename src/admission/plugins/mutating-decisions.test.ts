/** Every decision of a MutatingAdmissionPolicy: what happens, under which failure policy, with which kind of patch, and whether it runs again. */

import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import { createWorld } from "../admission.suite.ts";
import { createMutatingAdmissionPolicy, failuresShownMax } from "./mutating-admission-policy.ts";

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const patchTypes = ["ApplyConfiguration", "JSONPatch"] as const;
type PatchType = (typeof patchTypes)[number];

const mutation = (patchType: PatchType, expression: string) =>
  patchType === "JSONPatch"
    ? { patchType, jsonPatch: { expression } }
    : { patchType, applyConfiguration: { expression } };

/** Sets one member of the data to the value of an expression. */
const sets = (patchType: PatchType, name: string, value: string) =>
  mutation(
    patchType,
    patchType === "JSONPatch"
      ? `[JSONPatch{op: 'add', path: '/data/${name}', value: ${value}}]`
      : `Object{data: {'${name}': ${value}}}`,
  );

interface Policy {
  readonly name: string;
  readonly spec: object;
  readonly binding?: object;
}

function worldOf(policies: readonly Policy[]) {
  const { context, admit } = createWorld(
    [
      { resource: "namespaces", object: { metadata: { name: "n" } } },
      ...policies.flatMap(({ name, spec, binding = {} }) => [
        {
          resource: "mutatingadmissionpolicies",
          object: { metadata: { name }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } },
        },
        {
          resource: "mutatingadmissionpolicybindings",
          object: { metadata: { name }, spec: { policyName: name, ...binding } },
        },
      ]),
    ],
    "orch",
    { level: "1.35" },
  );
  // A config map as JSON.
  const object = { metadata: { name: "c", namespace: "n" }, data: { x: "" } } as ApiObject;
  return { plugin: createMutatingAdmissionPolicy(context), admit, object };
}

async function mutated(...policies: readonly Policy[]) {
  const { plugin, admit, object } = worldOf(policies);
  const made = await admit(plugin, "configmaps", { object, namespace: "n" }).catch((error: Error) => error.message);
  return typeof made === "string" ? made : (made as ApiObject & { readonly data: object }).data; // a config map
}

const fails = { name: "f", expression: "object.missing == 1" };
const isFalse = { name: "g", expression: "false" };

/** `made`: the data afterwards, whatever the failure policy. Absent: the policy fails, and says so. */
const rows: readonly {
  what: string;
  spec: (patchType: PatchType) => object;
  binding?: object;
  made?: object;
  says?: string;
}[] = [
  { what: "it applies", spec: (type) => ({ mutations: [sets(type, "a", "'1'")] }), made: { x: "", a: "1" } },
  {
    what: "the second of two sees what the first has changed",
    spec: (type) => ({ mutations: [sets(type, "a", "'1'"), sets(type, "b", "string(size(object.data))")] }),
    made: { x: "", a: "1", b: "2" },
  },
  {
    what: "a variable follows the object",
    spec: (type) => ({
      variables: [{ name: "n", expression: "string(size(object.data))" }],
      mutations: [sets(type, "a", "variables.n"), sets(type, "b", "variables.n")],
    }),
    made: { x: "", a: "1", b: "2" },
  },
  {
    what: "a condition is false",
    spec: (type) => ({ matchConditions: [isFalse], mutations: [sets(type, "a", "'1'")] }),
    made: { x: "" },
  },
  {
    what: "a condition fails before one that is false",
    spec: (type) => ({ matchConditions: [fails, isFalse], mutations: [sets(type, "a", "'1'")] }),
    made: { x: "" },
  },
  {
    what: "a condition fails",
    spec: (type) => ({ matchConditions: [fails], mutations: [sets(type, "a", "'1'")] }),
    says: "match condition resulted in error: no such key: missing",
  },
  {
    what: "an expression fails",
    spec: (type) => ({ mutations: [sets(type, "a", "object.missing")] }),
    says: "no such key: missing",
  },
  {
    what: "a variable fails",
    spec: (type) => ({
      variables: [{ name: "n", expression: "object.missing" }],
      mutations: [sets(type, "a", "variables.n")],
    }),
    says: "no such key: missing",
  },
  {
    what: "the patch cannot be carried out",
    spec: (type) => ({
      mutations: [
        type === "JSONPatch"
          ? mutation(type, "[JSONPatch{op: 'remove', path: '/data/none'}]")
          : mutation(type, "Object{none: 'a'}"),
      ],
    }),
    says: "denied request: ",
  },
  {
    what: "a parameter is missing, and that denies",
    spec: (type) => ({
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      mutations: [sets(type, "a", "'1'")],
    }),
    binding: { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
    says: "no params found",
  },
  {
    what: "a parameter is missing, and that allows",
    spec: (type) => ({
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      mutations: [sets(type, "a", "'1'")],
    }),
    binding: { paramRef: { name: "none", parameterNotFoundAction: "Allow" } },
    made: { x: "" },
  },
];

describe("a policy that changes objects", () => {
  for (const { what, spec, binding = {}, made, says = "" } of rows)
    for (const patchType of patchTypes)
      test(`${what}: ${made === undefined ? "it fails" : JSON.stringify(made)} with ${patchType}`, async () => {
        for (const failurePolicy of ["Fail", "Ignore"])
          for (const reinvocationPolicy of ["Never", "IfNeeded"]) {
            const policy = { name: "p", spec: { ...spec(patchType), failurePolicy, reinvocationPolicy }, binding };
            const expected = made ?? (failurePolicy === "Fail" ? expect.stringContaining(says) : { x: "" });
            expect(await mutated(policy), `${failurePolicy}, ${reinvocationPolicy}`).toEqual(expected);
          }
      });

  for (const patchType of patchTypes)
    test(`runs again only with IfNeeded, and only if a later one changed the object: ${patchType}`, async () => {
      const counting = (name: string, reinvocationPolicy: string): Policy => ({
        name,
        spec: { reinvocationPolicy, mutations: [sets(patchType, name, "string(size(object.data))")] },
      });
      const idle: Policy = { name: "b", spec: { mutations: [sets(patchType, "x", "''")] } };
      expect(await mutated(counting("a", "Never"), counting("b", "Never"))).toEqual({ x: "", a: "1", b: "2" });
      expect(await mutated(counting("a", "IfNeeded"), counting("b", "Never"))).toEqual({ x: "", a: "3", b: "2" });
      expect(await mutated(counting("a", "IfNeeded"), idle)).toEqual({ x: "", a: "1" });
    });

  test("what a failed one has not changed, the next one sees, if failures are ignored", async () => {
    const first = { mutations: [sets("JSONPatch", "a", "'1'"), sets("JSONPatch", "b", "object.missing")] };
    const second = { mutations: [sets("ApplyConfiguration", "c", "string(size(object.data))")] };
    expect(
      await mutated({ name: "p", spec: { ...first, failurePolicy: "Ignore" } }, { name: "q", spec: second }),
    ).toEqual({ x: "", a: "1", c: "2" });
  });
});

test("an answer lists so many failures, and says how many more there are", async () => {
  const policies = Array.from({ length: failuresShownMax + 2 }, (_, at) => ({
    name: `p${at}`,
    spec: { matchConditions: [fails], mutations: [sets("JSONPatch", "a", "'1'")] },
  }));
  const { plugin, admit, object } = worldOf(policies);
  const refused = await admit(plugin, "configmaps", { object, namespace: "n" }).catch((error: unknown) => error);
  const causes = (refused as StatusError).details?.causes ?? [];
  expect([causes.length, causes.at(-1)]).toEqual([failuresShownMax + 1, { message: "and 2 more" }]);
});
