import { describe, expect, test } from "vitest";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { measureWork } from "../../base/processor-time.suite.ts";
import { countTurns } from "../../base/turn-counter.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld, readSlowly } from "../admission.suite.ts";
import { createValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

const shouting: Authorizer["authorize"] = async ({ verb }) => ({
  outcome: verb === "shout" ? "allow" : "none",
  reason: "",
});

function worldOf(spec: object, binding: object = {}, more: readonly ApiObject[] = [], authorizer = shouting) {
  const policy = { metadata: { name: "p" }, spec: { matchConstraints: { resourceRules: [rule] }, ...spec } };
  const bound = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"], ...binding } };
  const world = createWorld(
    [
      { resource: "validatingadmissionpolicies", object: policy },
      { resource: "validatingadmissionpolicybindings", object: bound },
      { resource: "namespaces", object: { metadata: { name: "n" } } },
      ...more.map((object) => ({ resource: "configmaps", object })),
    ],
    "orch",
    { level: "1.35", authorizer },
  );
  const plugin = createValidatingAdmissionPolicy(world.context);
  const write = (data: Record<string, string>) =>
    // A config map as JSON.
    world.admit(plugin, "configmaps", {
      object: { metadata: { name: "c", namespace: "n" }, data } as ApiObject,
      namespace: "n",
    });
  return { ...world, write };
}

const validations = [{ expression: "!('a' in object.data)", message: "no a", reason: "Forbidden" }];

test("a request that does not fulfil a policy is refused with its reason and message", async () => {
  const { write } = worldOf({ validations });
  await write({ b: "" });
  await expect(write({ a: "" })).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no a"),
  });
});

test("Warn and Audit let the request pass", async () => {
  const { write, warnings, annotations } = worldOf({ validations }, { validationActions: ["Warn", "Audit"] });
  await write({ a: "" });
  expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no a"]);
  expect(annotations.get("validation.policy.admission.orch.io/validation_failure")).toContain('"message":"no a"');
});

test("variables are evaluated where they are used, and messages may name them", async () => {
  const { write } = worldOf({
    variables: [
      { name: "size", expression: "object.data.size()" },
      { name: "broken", expression: "object.none" },
    ],
    validations: [{ expression: "variables.size < 2", messageExpression: "'has ' + string(variables.size)" }],
  });
  await write({ a: "" });
  await expect(write({ a: "", b: "" })).rejects.toThrow("has 2");
});

test("an expression that fails refuses unless the policy ignores failures", async () => {
  const failing = [{ expression: "object.data.missing == 'x'" }];
  await expect(worldOf({ validations: failing }).write({ a: "" })).rejects.toMatchObject({ code: 422 });
  await worldOf({ validations: failing, failurePolicy: "Ignore" }).write({ a: "" });
});

test("parameters come from the binding, and a missing one follows parameterNotFoundAction", async () => {
  const spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.data.v == params.data.v" }],
  };
  const params = { metadata: { name: "x", namespace: "n" }, data: { v: "1" } } as ApiObject; // JSON of a config map
  const named = (action: string) => ({ paramRef: { name: "x", parameterNotFoundAction: action } });
  await worldOf(spec, named("Deny"), [params]).write({ v: "1" });
  await expect(worldOf(spec, named("Deny"), [params]).write({ v: "2" })).rejects.toMatchObject({ code: 422 });
  await expect(worldOf(spec, named("Deny")).write({ v: "1" })).rejects.toThrow("no params found");
  await worldOf(spec, named("Allow")).write({ v: "1" });
});

test("an authorizer that takes time is asked, and the expression is evaluated again", async () => {
  const may = (verb: string) => [{ expression: `authorizer.group('').resource('pods').check('${verb}').allowed()` }];
  await worldOf({ validations: may("shout") }).write({});
  await expect(worldOf({ validations: may("whisper") }).write({})).rejects.toMatchObject({ code: 422 });
});

test("selectors of a question reach the authorizer", async () => {
  const asked: Attributes[] = [];
  const expression =
    "!authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n').labelSelector('a in (b), !c').check('list').allowed()";
  await worldOf({ validations: [{ expression }] }, {}, [], async (attributes) => {
    asked.push(attributes);
    return { outcome: "none", reason: "" };
  }).write({});
  expect(asked).toMatchObject([
    {
      fieldSelector: [{ key: "spec.nodeName", operator: "In", values: ["n"] }],
      labelSelector: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "c", operator: "DoesNotExist", values: [] },
      ],
    },
  ]);
});

test("expressions see the conditions of the namespace, and absent fields of null", async () => {
  const expression =
    "(!has(namespaceObject.status) || !has(namespaceObject.status.conditions)) && !has(oldObject.data) && (oldObject == null || oldObject.data.size() > 0)";
  await worldOf({ validations: [{ expression }] }).write({});
});

test("a false match condition wins over one that fails", async () => {
  const matchConditions = [
    { name: "fails", expression: "object.none == 1" },
    { name: "false", expression: "false" },
  ];
  await worldOf({ validations, matchConditions }).write({ a: "" });
  await expect(worldOf({ validations, matchConditions: matchConditions.slice(0, 1) }).write({ b: "" })).rejects.toThrow(
    "match condition",
  );
});

test("a policy over its budget refuses in bounded processor time, and other policies are not asked to pay", {
  timeout: 180_000,
}, async () => {
  const loop = "object.data.all(a, object.data.all(b, object.data.all(c, a.startsWith('k') && c.startsWith('k'))))";
  const { write } = worldOf({ validations: Array.from({ length: 30 }, () => ({ expression: loop })) });
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, "v"]));
  const spentMs = measureWork();
  await expect(write(data)).rejects.toMatchObject({ code: 422 });
  expect(spentMs()).toBeLessThan(20_000);
});

test("a variable that takes long counts once, and others are served meanwhile", { timeout: 60_000 }, async () => {
  const long = "object.data.all(a, object.data.all(b, a.size() + b.size() > 0))";
  const { write } = worldOf({
    variables: [
      { name: "inner", expression: `${long} ? 'x' : 'y'` },
      { name: "outer", expression: `variables.inner + (${long} ? 'z' : 'y')` },
    ],
    // Eight times its cost would be more than the policy may spend.
    validations: Array.from({ length: 8 }, () => ({
      expression: "variables.outer == 'no'",
      messageExpression: "variables.outer",
    })),
  });
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, "v"]));
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  await expect(write(data)).rejects.toThrow("denied request: xz");
  clearInterval(count);
  expect(turns).toBeGreaterThan(3);
});

test("an expression that begins again for each of many long variables ends when that has cost too much", {
  timeout: 180_000,
}, async () => {
  const names = Array.from({ length: 60 }, (_, index) => `v${index}`);
  const long = "object.data.all(a, object.data.all(b, a.size() + b.size() > 0))";
  const { write } = worldOf({
    variables: names.map((name) => ({ name, expression: "object.data.all(a, a.split('').size() < 999)" })),
    validations: [{ expression: `${long} && ${names.map((name) => `variables.${name}`).join(" && ")}` }],
  });
  const wide = Array.from({ length: 300 }, (_, index) => [`${index}`.padStart(250, "k"), "v"]);
  await expect(write(Object.fromEntries(wide))).rejects.toThrow("cost budget");
});

test("expressions see the options of a request", async () => {
  const { write } = worldOf({
    validations: [{ expression: "false", messageExpression: "string(request.options.kind)" }],
  });
  await expect(write({})).rejects.toMatchObject({ message: expect.stringContaining("denied request: CreateOptions") });
});

describe("thousands of parameters", () => {
  const count = 5_000;
  const shared = "x".repeat(500);
  // JSON of config maps, each with the selected label.
  const params = Array.from(
    { length: count },
    (_, index) =>
      ({
        metadata: { name: `p${index}`, namespace: "n", labels: { app: index === 0 ? "one" : "many" } },
        data: { v: `${index} ${shared}` },
      }) as ApiObject,
  );
  const spec = (more: object) => ({ paramKind: { apiVersion: "v1", kind: "ConfigMap" }, ...more });
  const chosenBy = (app: string, more: object = {}) => ({
    paramRef: { selector: { matchLabels: { app } }, parameterNotFoundAction: "Deny" },
    ...more,
  });
  const passes = { validations: [{ expression: "params.data.v != ''" }] };

  test("are read one by one, and only those that the binding selects", async () => {
    const { write, context } = worldOf(spec(passes), chosenBy("one"), params);
    const turns = readSlowly(context);
    await write({});
    expect(turns).toEqual([1]);
  });

  test("leave the event loop to others, also where many requests come together", async () => {
    const { write } = worldOf(spec(passes), chosenBy("many"), params);
    const counted = countTurns();
    await Promise.all(Array.from({ length: 4 }, () => write({})));
    counted.stop();
    expect(counted.turn).toBeGreaterThan(8);
  });

  test("add a bounded text to the audit record", async () => {
    const { write, annotations } = worldOf(
      spec({
        validations: [{ expression: "false", messageExpression: "params.data.v" }],
        auditAnnotations: [{ key: "told", valueExpression: "params.data.v" }],
      }),
      chosenBy("many", { validationActions: ["Audit"] }),
      params,
    );
    await write({});
    for (const key of ["validation.policy.admission.orch.io/validation_failure", "p/told"]) {
      const { length } = annotations.get(key) ?? "";
      expect(length).toBeGreaterThan(1_000);
      expect(length).toBeLessThan(1_000_000);
    }
  });
});

test("thousands of policies and bindings that do not match leave the event loop to others", async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `p${index}`);
  const elsewhere = { resourceRules: [{ ...rule, resources: ["secrets"] }] };
  const world = createWorld(
    [
      ...names.map((name) => ({
        resource: "validatingadmissionpolicies",
        object: { metadata: { name }, spec: { matchConstraints: elsewhere, validations } },
      })),
      ...names.map((name) => ({
        resource: "validatingadmissionpolicybindings",
        object: { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } },
      })),
      ...names.map((name) => ({
        resource: "validatingadmissionpolicybindings",
        object: {
          metadata: { name: `last-${name}` },
          spec: { policyName: "last", validationActions: ["Deny"], matchResources: elsewhere },
        },
      })),
      {
        resource: "validatingadmissionpolicies",
        object: { metadata: { name: "last" }, spec: { matchConstraints: { resourceRules: [rule] }, validations } },
      },
    ],
    "orch",
    { level: "1.35" },
  );
  const plugin = createValidatingAdmissionPolicy(world.context);
  // A config map as JSON.
  const write = () =>
    world.admit(plugin, "configmaps", { object: { metadata: { name: "c" }, data: { a: "" } } as ApiObject });
  await write();
  const counted = countTurns();
  await Promise.all(Array.from({ length: 16 }, write));
  counted.stop();
  expect(counted.turn).toBeGreaterThan(4);
});
