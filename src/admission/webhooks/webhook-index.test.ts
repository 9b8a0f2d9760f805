import { describe, expect, test } from "vitest";
import { catalog as kinds } from "../../api/catalog.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { Operation } from "../../registry/contract/admission.ts";
import { apiGroups } from "../../vocabulary/api-groups.ts";
import { webhooksOf } from "./webhook.ts";
import { createWebhookIndex } from "./webhook-index.ts";

const catalog = createCatalog(kinds, plainEnvironment({}), { groups: apiGroups });
const kindOf = (group: string, version: string, resource: string) => {
  const kind = catalog.byResource(catalog.environment.vocabulary.group(group), version, resource);
  if (kind === undefined) throw new Error(`${group} ${version} ${resource} is not served`);
  return kind;
};
interface Rule {
  readonly operations?: readonly Operation[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
}
const webhook = (name: string, rules: readonly Rule[], matchPolicy = "Equivalent") => ({
  name,
  clientConfig: {},
  rules: rules.map(({ operations = ["CREATE"], apiGroups, apiVersions, resources }) => ({
    operations: [...operations],
    apiGroups: [...apiGroups],
    apiVersions: [...apiVersions],
    resources: [...resources],
  })),
  matchPolicy,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
});
const indexOf = (webhooks: readonly ReturnType<typeof webhook>[]) =>
  createWebhookIndex(webhooksOf({ metadata: { name: "c" }, webhooks: [...webhooks] }, "validating", "1.21"), catalog);
/** "name: version it gets" of those that match a create. */
const matching = (webhooks: readonly ReturnType<typeof webhook>[], kind: ReturnType<typeof kindOf>, subresource = "") =>
  indexOf(webhooks)({ operation: "CREATE", kind, subresource }).map(
    (one) => `${one.webhook.name}: ${one.kind.apiVersion}`,
  );

const scalers = { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"] };
const ingresses = { apiGroups: ["networking.orch.io"], resources: ["ingresses"] };

describe("a webhook is shown the object", () => {
  test("in the version of the request, if a rule names it or has a star", () => {
    const kind = kindOf("autoscaling", "v2beta2", "horizontalpodautoscalers");
    const direct = webhook("a", [{ ...scalers, apiVersions: ["v1", "v2beta2"] }]);
    const star = webhook("b", [{ ...scalers, apiVersions: ["*"] }]);
    expect(matching([direct, star], kind)).toEqual(["a: autoscaling/v2beta2", "b: autoscaling/v2beta2"]);
  });

  test("else in the first version, in the order of discovery, that the first matching rule names", () => {
    const kind = kindOf("autoscaling", "v1", "horizontalpodautoscalers");
    const both = webhook("a", [{ ...scalers, apiVersions: ["v2beta2", "v2beta1"] }]);
    const inTurn = webhook(
      "b",
      ["v2beta2", "v2beta1"].map((version) => ({ ...scalers, apiVersions: [version] })),
    );
    expect(matching([both, inTurn], kind)).toEqual(["a: autoscaling/v2beta1", "b: autoscaling/v2beta2"]);
  });

  test("also in another group, but never with matchPolicy Exact", () => {
    const kind = kindOf("extensions", "v1beta1", "ingresses");
    const rules = [{ ...ingresses, apiVersions: ["*"] }];
    expect(matching([webhook("a", rules), webhook("b", rules, "Exact")], kind)).toEqual(["a: networking.orch.io/v1"]);
  });

  test("only where the version has the subresource", () => {
    const kind = kindOf("extensions", "v1beta1", "ingresses");
    const status = webhook("a", [{ ...ingresses, resources: ["ingresses/status"], apiVersions: ["v1"] }]);
    expect(matching([status], kind, "status")).toEqual(["a: networking.orch.io/v1"]);
    expect(matching([status], kind, "nothing")).toEqual([]);
  });
});

test("results are cached", () => {
  const pods = { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
  const index = indexOf([webhook("a", [pods])]);
  const asked = { operation: "CREATE", kind: kindOf("", "v1", "pods"), subresource: "" } as const;
  expect(index(asked)).toBe(index(asked));
});
