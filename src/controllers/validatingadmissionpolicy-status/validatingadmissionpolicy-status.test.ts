import { expect, test } from "vitest";
import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { withControllers } from "../scenario.suite.ts";
import { namedResources, namedResourcesMax } from "./matched-resources.ts";
import { validatingAdmissionPolicyStatus } from "./wire.ts";

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  operations: ["CREATE"],
  apiGroups,
  apiVersions,
  resources,
});
const policy = (resourceRules: object[], expressions: string[], more: object = {}): ValidatingAdmissionPolicy =>
  ({
    metadata: { name: "p" },
    spec: {
      matchConstraints: { resourceRules },
      validations: expressions.map((expression) => ({ expression })),
      ...more,
    },
  }) as ValidatingAdmissionPolicy; // as a client writes it

test("only resources that rules name are checked, each once", () => {
  const rules = [
    rule(["apps"], ["v1", "*"], ["deployments", "deployments/scale", "*"]),
    rule(["apps"], ["v1"], ["deployments"]),
    rule(["*"], ["v1"], ["pods"]),
  ];
  expect(namedResources(policy(rules, []))).toEqual([
    { group: "apps", version: "*", resource: "deployments" },
    { group: "apps", version: "v1", resource: "deployments" },
  ]);
});

test("expressions that do not fit a kind are told in the status, and again after a change", () =>
  withControllers(
    [validatingAdmissionPolicyStatus],
    async ({ client, create, until }) => {
      const rules = [rule(["apps"], ["v1"], ["deployments"]), rule([""], ["v1"], ["configmaps", "nothings"])];
      await create(
        ValidatingAdmissionPolicy,
        policy(rules, ["object.spec.replicas > 1", "object.metadata.name != variables.v", "params.data.size() > 0"], {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          variables: [{ name: "v", expression: "object.metadata.namespace" }],
        }),
      );
      const checked = await until(
        ValidatingAdmissionPolicy,
        { name: "p" },
        ({ status }) => status?.observedGeneration === 1,
      );
      const warnings = checked.status?.typeChecking?.expressionWarnings ?? [];
      expect(warnings.map(({ fieldRef }) => fieldRef)).toEqual(["spec.validations[0].expression"]);
      expect(warnings[0]?.warning).toMatch(/^v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'/);
      await client
        .of(ValidatingAdmissionPolicy)
        .patch({ name: "p" }, { spec: { validations: [{ expression: "object.metadata.name != ''" }] } });
      const fixed = await until(
        ValidatingAdmissionPolicy,
        { name: "p" },
        ({ status }) => status?.observedGeneration === 2,
      );
      expect(fixed.status?.typeChecking?.expressionWarnings ?? []).toEqual([]);
    },
    { server: { emulatedVersion: "1.35" } },
  ));

test("of a rule that names millions of resources the first thousand count", () => {
  const names = (prefix: string) => Array.from({ length: 500 }, (_, at) => `${prefix}${at}`);
  const rules = [{ apiGroups: names("g"), apiVersions: names("v"), resources: names("r"), operations: ["CREATE"] }];
  expect(namedResources(policy(rules, []))).toHaveLength(namedResourcesMax);
});
