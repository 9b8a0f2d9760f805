import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../life.suite.ts";
import { ValidatingAdmissionPolicy } from "./v1/validating-admission-policy.ts";

const policies = bindVersions([ValidatingAdmissionPolicy], {}, "1.35").version("v1");
const resourceRules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const policy = (spec: object) => ({
  metadata: { name: "p" },
  spec: { matchConstraints: { resourceRules }, validations: [{ expression: "true" }], ...spec },
});

describe("a policy that refuses requests", () => {
  const kindOf = (apiVersion: string, kind = "Limit") => ({ paramKind: { apiVersion, kind } });
  const cases = [
    { why: "may take parameters of the core group with its slash", spec: kindOf("/v1"), problems: [] },
    { why: "needs a version of parameters", spec: kindOf("a/"), problems: ["Invalid spec.paramKind.apiVersion"] },
    {
      why: "needs names for the group and the version of parameters",
      spec: kindOf("a..b/1v"),
      problems: ["Invalid spec.paramKind.apiVersion", "Invalid spec.paramKind.apiVersion"],
    },
    { why: "needs the name of a kind", spec: kindOf("v1", "1x"), problems: ["Invalid spec.paramKind.kind"] },
    {
      why: "must not have a blank expression for messages",
      spec: { validations: [{ expression: "true", messageExpression: " " }] },
      problems: ["Invalid spec.validations[0].messageExpression"],
    },
    {
      why: "may have an expression of several lines without a message",
      spec: { validations: [{ expression: "true &&\ntrue" }] },
      problems: [],
    },
    {
      why: "must not convert a literal to a number that it is not",
      spec: { validations: [{ expression: "int('a') == 1" }] },
      problems: ["Invalid spec.validations[0].expression"],
    },
  ];
  test.each(cases)("$why", ({ spec, problems }) => {
    expect(create(policies, policy(spec)).problems).toEqual(problems);
  });
});
