/** What expressions of policies and match conditions may name: the object, the request, the namespace, parameters, variables. */

import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import { compileSteps } from "../compile.ts";
import type { Compilation } from "../contract.ts";
import { authorizerType, resourceCheckType } from "../library/authorization.ts";
import { dyn, objectType, type Type } from "../types/types.ts";
import { jsonValue } from "../values/json.ts";
import type { Value } from "../values/values.ts";
import type { DeclaredObject, DeclaredType } from "./declared-type.ts";
import { schemaType } from "./json-schema-type.ts";
import { SchemaObject } from "./schema-values.ts";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const labels = { type: "object", additionalProperties: text } as const;
const object = (properties: Readonly<Record<string, object>>) => ({ type: "object", properties }) as const;
const kind = object({ group: text, version: text, kind: text });
const resource = object({ group: text, version: text, resource: text });
const instant = { type: "string", format: "date-time" } as const;

const declared = (schema: object, name: string) => {
  // Written with the members of a JSON schema that types are made of.
  const found = schemaType(schema as JsonSchema, { prefix: "x-orch-", isResource: false, name });
  if (found === undefined || !("properties" in found)) throw new TypeError(`the schema of ${name} is not an object`);
  return found as DeclaredObject; // the only declared type that has properties
};

/** The object with a field about which nothing is known before it is evaluated. */
function withAny(given: DeclaredObject, name: string): DeclaredObject {
  const field: DeclaredType = { type: dyn, sizeMax: 0, bytesMin: 0, read: (json) => jsonValue(json ?? null) };
  const extended: DeclaredObject = {
    ...given,
    type: objectType(given.type.name, new Map([...given.type.fields, [name, dyn]])),
    fields: new Map([...given.fields, [name, { property: name, declared: field }]]),
    properties: new Map([...given.properties, [name, field]]),
    read: (json) => new SchemaObject(extended, json as object), // the server makes them
  };
  return extended;
}

const requestDeclared = withAny(
  declared(
    object({
      kind,
      resource,
      subResource: text,
      requestKind: kind,
      requestResource: resource,
      requestSubResource: text,
      name: text,
      namespace: text,
      operation: text,
      userInfo: object({
        username: text,
        uid: text,
        groups: texts,
        extra: { type: "object", additionalProperties: texts },
      }),
      dryRun: { type: "boolean" },
    }),
    "AdmissionRequest",
  ),
  "options",
);

const condition = object({
  type: text,
  status: text,
  lastTransitionTime: instant,
  reason: text,
  message: text,
});

const namespaceDeclared = declared(
  object({
    metadata: object({
      name: text,
      generateName: text,
      namespace: text,
      labels,
      annotations: labels,
      UID: text,
      uid: text,
      creationTimestamp: instant,
      deletionTimestamp: instant,
      deletionGracePeriodSeconds: { type: "integer" },
      generation: { type: "integer" },
      resourceVersion: text,
      finalizers: texts,
    }),
    spec: object({ finalizers: texts }),
    status: object({ phase: text, conditions: { type: "array", items: condition } }),
  }),
  "Namespace",
);

export const readRequest = (json: unknown): Value => requestDeclared.read(json);
export const readNamespace = (json: unknown): Value => namespaceDeclared.read(json);

export interface PolicyNames {
  readonly release: Release;
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** The type of `object` and `oldObject`. Absent: known only when they are evaluated. */
  readonly object?: Type;
  /** The type of `params`. Absent: known only when they are evaluated. */
  readonly params?: Type;
  /** Types of the variables that are defined before. Absent: there is no `variables`. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** Whether it may make patches. Default: false. */
  readonly makesPatches?: boolean;
}

/** The type of `variables`, of which each is a field. */
export const variablesType = (variables: ReadonlyMap<string, Type>) => objectType("variables", variables);

export function* policyExpressionSteps(expression: string, names: PolicyNames): Steps<Compilation> {
  const { release, hasParams = false, hasAuthorizer = true, object: shown = dyn, params = dyn, variables } = names;
  return yield* compileSteps(expression, {
    release,
    makesPatches: names.makesPatches ?? false,
    variables: new Map<string, Type>([
      ["object", shown],
      ["oldObject", shown],
      ["request", requestDeclared.type],
      ["namespaceObject", namespaceDeclared.type],
      ...(hasParams ? [["params", params] as const] : []),
      ...(hasAuthorizer
        ? ([
            ["authorizer", authorizerType],
            ["authorizer.requestResource", resourceCheckType],
          ] as const)
        : []),
      ...(variables === undefined ? [] : [["variables", variablesType(variables)] as const]),
    ]),
  });
}
