/** Every decision of a ValidatingAdmissionPolicy: what happens, under which failure policy, with which actions of the binding. */

import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import { createValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const failureKey = "validation.policy.admission.orch.io/validation_failure";

/** What a request meets with: the answer, its warnings and its audit annotations. */
async function judged(spec: object, binding: object, data: Record<string, string> = { a: "1" }) {
  const policy = { metadata: { name: "p" }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } };
  const bound = { metadata: { name: "b" }, spec: { policyName: "p", ...binding } };
  const { context, admit, warnings, annotations } = createWorld(
    [
      { resource: "validatingadmissionpolicies", object: policy },
      { resource: "validatingadmissionpolicybindings", object: bound },
      { resource: "namespaces", object: { metadata: { name: "n" } } },
    ],
    "orch",
    { level: "1.35" },
  );
  // A config map as JSON.
  const object = { metadata: { name: "c", namespace: "n" }, data } as ApiObject;
  const refusal = await admit(createValidatingAdmissionPolicy(context), "configmaps", { object, namespace: "n" }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { refusal, warnings, annotations };
}

/**
 * "passes": the request is served, and nothing is said. "violates": the actions of the binding decide. "fails": the failure policy decides
 * whether it counts as a violation. "refuses": the failure policy decides, and the actions do not matter.
 */
type Effect = "passes" | "violates" | "fails" | "refuses";

const holds = { expression: "true" };
const violated = { expression: "false", message: "no" };
const fails = { name: "f", expression: "object.missing == 1" };
const isFalse = { name: "g", expression: "false" };
const params = (parameterNotFoundAction: string) => ({ paramRef: { name: "none", parameterNotFoundAction } });
const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const annotated = (valueExpression: string) => ({ auditAnnotations: [{ key: "k", valueExpression }] });

const rows: readonly { what: string; spec: object; binding?: object; effect: Effect; says?: string }[] = [
  { what: "all validations hold", spec: { validations: [holds, holds] }, effect: "passes" },
  { what: "a validation is false", spec: { validations: [holds, violated] }, effect: "violates", says: "no" },
  {
    what: "a validation has no message",
    spec: { validations: [{ expression: " false " }] },
    effect: "violates",
    says: "failed expression: false",
  },
  {
    what: "a validation fails",
    spec: { validations: [{ expression: "object.missing == 1" }] },
    effect: "fails",
    says: "expression 'object.missing == 1' resulted in error: no such key: missing",
  },
  {
    what: "a variable fails that a validation uses",
    spec: {
      variables: [{ name: "v", expression: "object.missing" }],
      validations: [{ expression: "variables.v == 1" }],
    },
    effect: "fails",
    says: "no such key: missing",
  },
  {
    what: "a variable fails that is not used",
    spec: { variables: [{ name: "v", expression: "object.missing" }], validations: [holds] },
    effect: "passes",
  },
  { what: "a condition is false", spec: { matchConditions: [isFalse], validations: [violated] }, effect: "passes" },
  {
    what: "a condition fails, although all validations hold",
    spec: { matchConditions: [fails], validations: [holds] },
    effect: "fails",
    says: "match condition resulted in error: no such key: missing",
  },
  {
    what: "a condition fails before one that is false",
    spec: { matchConditions: [fails, isFalse], validations: [violated] },
    effect: "passes",
  },
  {
    what: "a message fails",
    spec: { validations: [{ expression: "false", message: "no", messageExpression: "object.missing" }] },
    effect: "violates",
    says: "no",
  },
  {
    what: "the only message is blank",
    spec: { validations: [{ expression: "false", messageExpression: "' '" }] },
    effect: "violates",
    says: "failed expression: false",
  },
  {
    what: "a message has line breaks",
    spec: { validations: [{ expression: "false", message: "no", messageExpression: "'a\\nb'" }] },
    effect: "violates",
    says: "no",
  },
  {
    what: "a message is computed",
    spec: {
      variables: [{ name: "n", expression: "size(object.data)" }],
      validations: [{ expression: "false", message: "no", messageExpression: "'has ' + string(variables.n)" }],
    },
    effect: "violates",
    says: "has 1",
  },
  {
    what: "an annotation fails",
    spec: { validations: [holds], ...annotated("object.missing") },
    effect: "refuses",
    says: "audit annotation 'k' resulted in error: no such key: missing",
  },
  { what: "an annotation is null", spec: { validations: [holds], ...annotated("null") }, effect: "passes" },
  {
    what: "a parameter is missing, and that denies",
    spec: { paramKind, validations: [holds] },
    binding: params("Deny"),
    effect: "refuses",
    says: "no params found for policy binding with `Deny` parameterNotFoundAction",
  },
  {
    what: "a parameter is missing, and that allows",
    spec: { paramKind, validations: [violated] },
    binding: params("Allow"),
    effect: "passes",
  },
  {
    what: "the binding does not name a parameter",
    spec: { paramKind, validations: [{ expression: "params == null" }] },
    effect: "passes",
  },
  {
    what: "the kind of the parameters does not exist",
    spec: { paramKind: { apiVersion: "v1", kind: "None" }, validations: [holds] },
    effect: "refuses",
    says: "failed to find resource referenced by paramKind: 'v1, Kind=None'",
  },
];

const actions = [["Deny"], ["Warn"], ["Audit"], ["Deny", "Audit"], ["Warn", "Audit"]] as const;

describe("a policy and its binding decide", () => {
  for (const { what, spec, binding = {}, effect, says = "" } of rows)
    for (const failurePolicy of ["Fail", "Ignore"])
      test(`${what}: ${effect}, with the failure policy ${failurePolicy} and all actions`, async () => {
        for (const validationActions of actions) {
          const found = await judged({ ...spec, failurePolicy }, { ...binding, validationActions });
          const counts = effect === "violates" || (effect === "fails" && failurePolicy === "Fail");
          const refuses = effect === "refuses" && failurePolicy === "Fail";
          const has = (action: string) => counts && validationActions.some((one) => one === action);
          expect(found.refusal ?? "", `refusal with ${validationActions}`).toEqual(
            refuses || has("Deny") ? expect.stringContaining(says) : "",
          );
          expect(found.warnings, `warnings with ${validationActions}`).toEqual(
            has("Warn") ? [expect.stringContaining(says)] : [],
          );
          const audited = found.annotations.get(failureKey);
          expect(audited === undefined ? [] : JSON.parse(audited), `annotations with ${validationActions}`).toEqual(
            has("Audit")
              ? [expect.objectContaining({ message: expect.stringContaining(says), policy: "p", validationActions })]
              : [],
          );
        }
      });
});

test("annotations are written whatever the validations say, and cut to their limit", async () => {
  const spec = { validations: [violated], ...annotated("object.data.a") };
  const found = await judged(spec, { validationActions: ["Warn"] }, { a: ` ${"x".repeat(20_000)} ` });
  expect(found.refusal).toBeUndefined();
  expect(found.annotations.get("p/k")).toBe("x".repeat(10 * 1024));
});

test("the reason of a validation is that of the refusal; a failure is always invalid", async () => {
  const deny = { validationActions: ["Deny"] };
  const refused = async (validation: object) => (await judged({ validations: [validation] }, deny)).refusal;
  for (const reason of ["Forbidden", "Invalid", "RequestEntityTooLarge"])
    expect(await refused({ ...violated, reason })).toBe(
      "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
    );
  expect(await refused({ expression: "object.missing == 1", reason: "Forbidden" })).toContain("no such key");
});

describe("a policy that has spent its budget has failed as a whole", { timeout: 180_000 }, () => {
  /**
   * Each evaluation costs nearly as much as one may, so that eleven are more than a policy may. The comparison of long texts has a high
   * cost and takes little time.
   */
  const data = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`k${at}`, "v".repeat(250_000)]));
  const expensive = "object.data.all(a, object.data.all(b, object.data[a] == object.data[b]))";
  const many = Array.from({ length: 12 }, () => ({ expression: expensive }));
  const overBudget = "running out of cost budget";
  const decide = (spec: object, validationActions = ["Deny"]) => judged(spec, { validationActions }, data);

  test("by validations: what was false before does not count", async () => {
    const validations = [violated, ...many];
    expect((await decide({ validations })).refusal).toMatch(overBudget);
    expect(await decide({ validations, failurePolicy: "Ignore" })).toMatchObject({ refusal: undefined });
  });

  test("by messages", async () => {
    const messageExpression = `${expensive} ? 'a' : 'b'`;
    const message = { expression: "false", messageExpression };
    const spec = { validations: [...many.slice(0, 9), message, message, message] };
    expect((await decide(spec)).refusal).toMatch(new RegExp(`failed messageExpression: .*${overBudget}`));
    expect((await decide({ ...spec, failurePolicy: "Ignore" })).refusal).toBeUndefined();
  });

  test("by annotations, which have a budget of their own", async () => {
    const auditAnnotations = (count: number) =>
      many
        .slice(0, count)
        .map(({ expression }, at) => ({ key: `k${at}`, valueExpression: `${expression} ? 'a' : 'b'` }));
    const kept = await decide({ validations: many.slice(0, 9), auditAnnotations: auditAnnotations(9) });
    expect([kept.refusal, kept.annotations.size]).toEqual([undefined, 9]);
    const spent = await decide({ validations: [holds], auditAnnotations: auditAnnotations(12) }, ["Warn"]);
    expect([spent.refusal, spent.annotations.size, spent.warnings.length]).toEqual([undefined, 0, 1]);
  });
});
