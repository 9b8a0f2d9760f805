/** Validation of quotas and limit ranges. */

import { describe, expect, test } from "vitest";
import { environment, inspect } from "./core.suite.ts";
import { LimitRange } from "./limit-range.ts";
import { ResourceQuota } from "./resource-quota.ts";

describe("a limit range", () => {
  const { kind, make, problems } = inspect(LimitRange);
  const limited = (...limits: object[]) => ({ spec: { limits } });

  test("sets default requests and limits of containers", () => {
    const item = {
      type: "Container",
      max: { cpu: "2" },
      min: { memory: "1Mi" },
      default: { "ephemeral-storage": "1Gi" },
    };
    expect(make(limited(item))["spec"]).toEqual({
      limits: [
        {
          type: "Container",
          max: { cpu: "2" },
          min: { memory: "1Mi" },
          default: { cpu: "2", "ephemeral-storage": "1Gi" },
          defaultRequest: { memory: "1Mi", cpu: "2", "ephemeral-storage": "1Gi" },
        },
      ],
    });
    expect(make(limited({ type: "Pod", max: { cpu: "2" } }))["spec"]).toEqual({
      limits: [{ type: "Pod", max: { cpu: "2" } }],
    });
  });

  test("created without a name gets a UUID as its name", () => {
    expect(kind.compat.nameForUnnamed?.(environment)).toBe("00000000-0000-4000-8000-000000000001");
  });

  const at = "spec.limits[0]";
  const cases = [
    {
      why: "types are unknown or repeated",
      items: [{ type: "Nope" }, { type: "Pod" }, { type: "Pod" }],
      found: ["FieldValueDuplicate spec.limits[2].type", `FieldValueInvalid ${at}.type`],
    },
    {
      why: "pods have no defaults",
      items: [{ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }],
      found: [`FieldValueForbidden ${at}.default`, `FieldValueForbidden ${at}.defaultRequest`],
    },
    {
      why: "a name is wrong in every field that has it",
      items: [{ type: "Container", min: { nope: "3" }, max: { nope: "1" } }],
      found: ["defaultRequest", "default", "max", "min"].map((field) => `FieldValueInvalid ${at}.${field}[nope]`),
    },
    {
      why: "amounts are out of order",
      items: [
        {
          type: "Container",
          min: { cpu: "3" },
          max: { cpu: "1" },
          default: { cpu: "5" },
          defaultRequest: { cpu: "7" },
        },
      ],
      found: [
        `FieldValueInvalid ${at}.defaultRequest[cpu]`,
        `FieldValueInvalid ${at}.default[cpu]`,
        `FieldValueInvalid ${at}.min[cpu]`,
      ],
    },
    {
      why: "a ratio is below one, or above what the bounds allow",
      items: [
        { type: "Container", maxLimitRequestRatio: { cpu: "500m" } },
        { type: "Pod", min: { cpu: "1" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "3" } },
      ],
      found: [
        `FieldValueInvalid ${at}.maxLimitRequestRatio[cpu]`,
        "FieldValueInvalid spec.limits[1].maxLimitRequestRatio[cpu]",
      ],
    },
    {
      why: "claims have neither a minimum nor a maximum",
      items: [{ type: "PersistentVolumeClaim" }],
      found: [`FieldValueRequired ${at}.limits`],
    },
    {
      why: "an extended resource has a limit that is not its request",
      items: [{ type: "Container", default: { "example.com/gpu": "2" }, defaultRequest: { "example.com/gpu": "1" } }],
      found: [`FieldValueInvalid ${at}.defaultRequest[example.com/gpu]`],
    },
  ];
  for (const { why, items, found } of cases) {
    test(`is refused where ${why}`, () => expect(problems(limited(...items))).toEqual(found));
  }
});

describe("a quota", () => {
  const { problems, problemsOfUpdate, problemsOfStatus, cells } = inspect(ResourceQuota);
  const pods = { pods: "1" };
  const selects = (...matchExpressions: object[]) => ({ hard: pods, scopeSelector: { matchExpressions } });
  const path = "spec.scopeSelector.matchExpressions";

  const cases = [
    {
      why: "amounts are malformed, negative or of unknown resources",
      spec: { hard: { pods: "1.5", "count/x": "100m", cpu: "-1", storage: "1", other: "1" } },
      found: ["count/x", "cpu", "other", "pods", "storage"].map((name) => `FieldValueInvalid spec.hard[${name}]`),
    },
    {
      why: "scopes contradict each other",
      spec: { hard: pods, scopes: ["Terminating", "NotTerminating"] },
      found: ["FieldValueInvalid spec.scopes"],
    },
    {
      why: "a scope is unknown or does not fit",
      spec: { hard: { services: "1" }, scopes: ["BestEffort", "Odd"] },
      found: ["FieldValueInvalid spec.scopes"],
    },
    {
      why: "a resource is unknown, whatever the scope",
      spec: { hard: { other: "1", storage: "1" }, scopes: ["BestEffort"] },
      found: ["FieldValueInvalid spec.hard[other]", "FieldValueInvalid spec.hard[storage]"],
    },
    {
      why: "a selector lacks values",
      spec: selects({ scopeName: "PriorityClass", operator: "In" }),
      found: [`FieldValueRequired ${path}.values`],
    },
    {
      why: "a selector has values that mean nothing",
      spec: selects({ scopeName: "PriorityClass", operator: "Exists", values: ["a"] }),
      found: [`FieldValueInvalid ${path}.values`],
    },
    {
      why: "a selector has values for a scope without values",
      spec: selects({ scopeName: "BestEffort", operator: "In", values: ["x"] }),
      found: [`FieldValueInvalid ${path}.operator`],
    },
    {
      why: "a selector names an unknown scope",
      spec: selects({ scopeName: "Odd", operator: "Exists" }),
      found: [`FieldValueInvalid ${path}.scopeName`],
    },
  ];
  for (const { why, spec, found } of cases) {
    test(`is refused where ${why}`, () => expect(problems({ spec })).toEqual(found));
  }

  test("must not change its scopes, except for their order", () => {
    const scopes = ["BestEffort", "NotTerminating"];
    const old = { spec: { hard: pods, scopes } };
    expect(problemsOfUpdate({ spec: { hard: pods, scopes: [...scopes].reverse() } }, old)).toEqual([]);
    expect(problemsOfUpdate({ spec: { hard: pods } }, old)).toEqual(["FieldValueInvalid spec.scopes"]);
  });

  test("is counted in whole pods", () => {
    expect(problemsOfStatus({ status: { used: { pods: "0.5" } } }, {})).toEqual([
      "FieldValueInvalid status.used[pods]",
    ]);
  });

  test("is shown as used/hard, with limits separately", () => {
    const status = { hard: { pods: "5", cpu: "2", "limits.cpu": "4" }, used: { cpu: "1", "limits.cpu": "3" } };
    expect(cells({ status }).slice(2)).toEqual(["cpu: 1/2, pods: 0/5", "limits.cpu: 3/4"]);
  });
});
