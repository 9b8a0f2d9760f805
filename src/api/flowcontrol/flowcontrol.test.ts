import { describe, expect, test } from "vitest";
import { rowRank } from "../../machinery/table/table.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { bindVersions, create, testEnvironment } from "../life.suite.ts";
import { FlowSchema as SchemaV1 } from "./v1/flow-schema.ts";
import { PriorityLevelConfiguration as LevelV1 } from "./v1/priority-level-configuration.ts";
import { builtInLevels, builtInSchemas } from "./v1beta1/built-in.ts";
import { FlowSchema } from "./v1beta1/flow-schema.ts";
import { precedenceMax } from "./v1beta1/flow-schema-spec.ts";
import { PriorityLevelConfiguration } from "./v1beta1/priority-level-configuration.ts";
import { queuesMax } from "./v1beta1/priority-level-spec.ts";

const schemas = bindVersions([FlowSchema]).version("v1beta1");
const levels = bindVersions([PriorityLevelConfiguration]).version("v1beta1");
const priorityLevelConfiguration = { name: "workload-low" };

test("flow schemas are shown in the order of matching", () => {
  const rank = (spec: object) => rowRank(schemas, create(schemas, { metadata: { name: "x" }, spec }).object);
  expect([rank({ priorityLevelConfiguration, matchingPrecedence: 7 }), rank({})]).toEqual([7, 1000]);
});

describe("a flow schema", () => {
  const problemsOf = (spec: object, name = "x") => create(schemas, { metadata: { name }, spec }).problems;
  const rule = (rules: object) => ({ priorityLevelConfiguration, rules: [rules] });
  const subjects = [{ kind: "User", user: { name: "u" } }];
  const everything = [{ verbs: ["*"], nonResourceURLs: ["*"] }];
  const resources = (given: object) =>
    rule({
      subjects,
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"], ...given }],
    });
  const urls = (...nonResourceURLs: string[]) =>
    rule({ subjects, nonResourceRules: [{ verbs: ["get"], nonResourceURLs }] });
  const subject = (given: object) => rule({ subjects: [given], nonResourceRules: everything });
  const at = "spec.rules[0]";
  const cases = [
    { why: "must name a level", spec: {}, problems: ["Required spec.priorityLevelConfiguration.name"] },
    {
      why: "must have a valid level name",
      spec: { priorityLevelConfiguration: { name: "Not One" } },
      problems: ["Invalid spec.priorityLevelConfiguration.name"],
    },
    {
      why: "must have a precedence after exempt",
      spec: { priorityLevelConfiguration, matchingPrecedence: 1 },
      problems: ["Invalid spec.matchingPrecedence"],
    },
    {
      why: "has a bounded precedence",
      spec: { priorityLevelConfiguration, matchingPrecedence: precedenceMax + 1 },
      problems: ["Invalid spec.matchingPrecedence"],
    },
    {
      why: "must have a known distinguisher",
      spec: { priorityLevelConfiguration, distinguisherMethod: { type: "ByMood" } },
      problems: ["NotSupported spec.distinguisherMethod.type"],
    },
    { why: "must have subjects and rules", spec: rule({}), problems: [`Required ${at}`, `Required ${at}.subjects`] },
    {
      why: "must have known kinds of subjects",
      spec: subject({ kind: "Cat" }),
      problems: [`NotSupported ${at}.subjects[0].kind`],
    },
    { why: "must name the user", spec: subject({ kind: "User" }), problems: [`Required ${at}.subjects[0].user`] },
    {
      why: "must set only the member of its kind of subject",
      spec: subject({ kind: "User", user: { name: "" }, group: { name: "g" } }),
      problems: [`Forbidden ${at}.subjects[0].group`, `Required ${at}.subjects[0].user.name`],
    },
    {
      why: "must name the service account",
      spec: subject({ kind: "ServiceAccount", serviceAccount: { name: "A B", namespace: "" } }),
      problems: [
        `Invalid ${at}.subjects[0].serviceAccount.name`,
        `Required ${at}.subjects[0].serviceAccount.namespace`,
      ],
    },
    { why: "matches a rule on resources", spec: resources({}), problems: [] },
    {
      why: "must have known verbs",
      spec: resources({ verbs: ["fetch"] }),
      problems: [`NotSupported ${at}.resourceRules[0].verbs`],
    },
    {
      why: "must not combine a star with other values",
      spec: resources({ verbs: ["*", "get"], apiGroups: ["*", ""], resources: ["*", "pods"], namespaces: ["*", "a"] }),
      problems: ["apiGroups", "namespaces", "resources", "verbs"].map(
        (field) => `Invalid ${at}.resourceRules[0].${field}`,
      ),
    },
    {
      why: "must have namespaces or clusterScope",
      spec: resources({ namespaces: [] }),
      problems: [`Required ${at}.resourceRules[0].namespaces`],
    },
    { why: "may be about the whole cluster", spec: resources({ namespaces: [], clusterScope: true }), problems: [] },
    {
      why: "must have valid paths",
      spec: urls("x", "/a b", "/a//b", "/a*", "/a/*", "/"),
      problems: [0, 1, 2, 3].map((index) => `Invalid ${at}.nonResourceRules[0].nonResourceURLs[${index}]`),
    },
  ];
  for (const { why, spec, problems } of cases) test(why, () => expect(problemsOf(spec)).toEqual(problems));

  test("of a mandatory name has a fixed spec", () => {
    expect(problemsOf({ priorityLevelConfiguration }, "catch-all")).toEqual(["Invalid spec"]);
  });
});

describe("a priority level", () => {
  const problemsOf = (spec: object, name = "x") => create(levels, { metadata: { name }, spec }).problems;
  const limited = (given: object) => ({ type: "Limited", limited: { limitResponse: { type: "Reject" }, ...given } });
  const queue = (queuing?: object) => limited({ limitResponse: { type: "Queue", ...(queuing ? { queuing } : {}) } });
  const response = "spec.limited.limitResponse";
  const cases = [
    { why: "is exempt by its name", spec: { type: "Exempt" }, problems: ["Invalid spec.type"] },
    { why: "is of a known type", spec: { type: "Odd" }, problems: ["NotSupported spec.type"] },
    { why: "must have limits if it is Limited", spec: { type: "Limited" }, problems: ["Required spec.limited"] },
    {
      why: "must have a positive share",
      spec: limited({ assuredConcurrencyShares: -1 }),
      problems: ["Invalid spec.limited.assuredConcurrencyShares"],
    },
    {
      why: "must have a known limit response",
      spec: limited({ limitResponse: { type: "Wait" } }),
      problems: [`NotSupported ${response}.type`],
    },
    {
      why: "must not have queues with Reject",
      spec: limited({ limitResponse: { type: "Reject", queuing: {} } }),
      problems: [`Forbidden ${response}.queuing`],
    },
    { why: "must have queues with Queue", spec: queue(), problems: [`Required ${response}.queuing`] },
    { why: "has defaults for queues", spec: queue({}), problems: [] },
    {
      why: "must not have a hand larger than the number of queues",
      spec: queue({ queues: 4, handSize: 10, queueLengthLimit: -1 }),
      problems: [`Invalid ${response}.queuing.handSize`, `Invalid ${response}.queuing.queueLengthLimit`],
    },
    {
      why: "has a bounded number of queues, and enough bits to deal them",
      spec: queue({ queues: queuesMax + 1, handSize: 8 }),
      problems: [`Invalid ${response}.queuing.handSize`, `Invalid ${response}.queuing.queues`],
    },
  ];
  for (const { why, spec, problems } of cases) test(why, () => expect(problemsOf(spec)).toEqual(problems));

  test("of a fixed name has a fixed spec", () => {
    expect(problemsOf(limited({ assuredConcurrencyShares: 6 }), "catch-all")).toEqual(["Invalid spec"]);
  });

  test("has one condition of each type", () => {
    const conditions = [{ type: "A" }, { type: "A" }, { type: "" }];
    const { hub } = create(levels, { metadata: { name: "x" }, spec: limited({}) });
    const errors = levels.subresources
      .get("status")
      ?.validate?.({ ...hub, status: { conditions } }, hub, levels.family.environment);
    expect(errors?.map(({ field }) => field)).toEqual(["status.conditions[1].type", "status.conditions[2].type"]);
  });
});

describe("built-in objects", () => {
  test.each(["1.21", "1.35"] as const)("are valid at %s, and every schema names a level that is built in", (level) => {
    const environment = testEnvironment({}, level);
    const names = new Set(builtInLevels(environment).map(({ name }) => name));
    const bound = bindVersions([PriorityLevelConfiguration, LevelV1, FlowSchema, SchemaV1], {}, level).catalog;
    const [levelKind, schemaKind] = [bound.of(PriorityLevelConfiguration), bound.of(FlowSchema)];
    for (const { name, spec } of builtInLevels(environment))
      expect(create(levelKind, { metadata: { name }, spec }).problems, name).toEqual([]);
    for (const { name, spec } of builtInSchemas(environment)) {
      const { problems, object } = create(schemaKind, { metadata: { name }, spec });
      expect(problems, name).toEqual([]);
      const { priorityLevelConfiguration: level } = object["spec"] as { priorityLevelConfiguration: { name: string } };
      expect(names.has(level.name), name).toBe(true);
    }
  });

  test("use the server's vocabulary", () => {
    const environment = { ...testEnvironment(), vocabulary: kubernetes };
    const names = builtInSchemas(environment).map(({ name }) => name);
    expect(names).toContain("kube-scheduler");
    expect(JSON.stringify(builtInSchemas(environment))).not.toContain("orch");
  });
});
