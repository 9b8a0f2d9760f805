import { expect, test } from "vitest";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld, type RequestOptions } from "../admission.suite.ts";
import { createParamAccessCheck } from "./param-access.ts";

const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const policy = (spec: object): ApiObject => ({ metadata: { name: "p" }, spec });
const binding = (spec: object): ApiObject => ({ metadata: { name: "b" }, spec: { policyName: "p", ...spec } });

/** What is asked for a write, as "verb resource.group namespace/name". Nothing is allowed. */
async function asked(
  resource: string,
  options: RequestOptions,
  existing: readonly ApiObject[] = [policy({ paramKind })],
) {
  const world = createWorld(
    existing.map((object) => ({ resource: "validatingadmissionpolicies", object })),
    "orch",
    { level: "1.35" },
  );
  const questions: Attributes[] = [];
  const authorizer: Authorizer = {
    name: "recorded",
    authorize(attributes) {
      questions.push(attributes);
      return { outcome: "none", reason: "" };
    },
  };
  const { registry, catalog } = world.context;
  const check = createParamAccessCheck({ authorizer, registry, catalog });
  const request = world.request(resource, options);
  if (!check.handles(request)) return ["not handled"];
  const refused = await Promise.resolve(check.validate?.(request)).then(
    () => "",
    (error: { code: number; details: { causes: { field: string; reason: string }[] } }) =>
      `${error.code} ${error.details.causes[0]?.reason} ${error.details.causes[0]?.field}`,
  );
  const shown = questions.map(
    ({ verb, group, resource, namespace, name }) => `${verb} ${resource}.${group} ${namespace}/${name}`,
  );
  return refused === "" ? shown : [...shown, refused];
}

const policies = "validatingadmissionpolicies";
const bindings = "validatingadmissionpolicybindings";
const ofPolicy = "422 FieldValueForbidden spec.paramKind";
const ofBinding = "422 FieldValueForbidden spec.paramRef";
const update = (old: ApiObject, object: ApiObject) => ({ operation: "UPDATE", old, object }) as const;

const rows: readonly (readonly [why: string, resource: string, options: RequestOptions, asked: readonly string[]])[] = [
  ["a policy needs all parameters", policies, { object: policy({ paramKind }) }, ["get configmaps. */*", ofPolicy]],
  ["one without parameters needs nothing", policies, { object: policy({}) }, []],
  [
    "of a kind that does not exist all resources of its group are needed",
    policies,
    { object: policy({ paramKind: { apiVersion: "example.com/v1", kind: "Limit" } }) },
    ["get *.example.com */*", ofPolicy],
  ],
  ["what a policy had before is not asked again", policies, update(policy({ paramKind }), policy({ paramKind })), []],
  [
    "a binding by name needs that object",
    bindings,
    { object: binding({ paramRef: { name: "x", namespace: "n" } }) },
    ["get configmaps. n/x", ofBinding],
  ],
  [
    "a binding by labels needs a list",
    bindings,
    { object: binding({ paramRef: { selector: {}, namespace: "n" } }) },
    ["list configmaps. n/*", ofBinding],
  ],
  [
    "a binding of a policy that does not exist needs everything",
    bindings,
    { object: binding({ policyName: "later", paramRef: { name: "x" } }) },
    ["get *.* /x", ofBinding],
  ],
  [
    "a binding whose reference stays is not asked again",
    bindings,
    update(binding({ paramRef: { name: "x" } }), binding({ paramRef: { name: "x" }, validationActions: ["Deny"] })),
    [],
  ],
  ["a deletion reads nothing", bindings, { operation: "DELETE", old: binding({}) }, ["not handled"]],
];
for (const [why, resource, options, expected] of rows)
  test(why, async () => expect(await asked(resource, options)).toEqual(expected));
