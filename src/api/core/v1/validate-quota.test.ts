import { expect, test } from "vitest";
import { measureWork } from "../../../base/processor-time.suite.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { testEnvironment } from "../../../testing/all-kinds.ts";
import { ResourceQuotaSpec } from "./resource-quota-spec.ts";
import { quotaRelations } from "./validate-quota.ts";

const check = checker(ResourceQuotaSpec, quotaRelations);
const environment = testEnvironment();

test("a scope is refused with each resource that its objects never use", () => {
  const errors = check({ hard: { pods: "1", services: "1" }, scopes: ["BestEffort"] }, "spec", environment);
  const message = expect.stringContaining("does not apply to services");
  expect(errors).toEqual([expect.objectContaining({ field: "spec.scopes", message })]);
});

test("many scopes with many resources take as long as both together, not as their product", () => {
  const hard = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`count/things${at}.example.com`, "1"]));
  const matchExpressions = Array.from({ length: 13_000 }, () => ({ scopeName: "PriorityClass", operator: "Exists" }));
  const scopes = Array.from({ length: 15_000 }, () => "Terminating");
  const worked = measureWork();
  expect(check({ hard, scopes, scopeSelector: { matchExpressions } }, "spec", environment)).toEqual([]);
  // The product takes a minute.
  expect(worked()).toBeLessThan(5_000);
});
