/** An IngressClass names the controller that implements ingresses. */

import { isDns1123Label, isDomainPrefixedPath } from "../../../machinery/meta/names.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { elided, nullable, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { forbidden, invalid, notSupported, required, tooLong } from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { immutable } from "../../immutable.ts";
import { validateObjectName } from "./validate-ingress.ts";

export const IngressClassParametersReference = struct(
  "networking.v1.IngressClassParametersReference",
  {
    apiGroup: optional(string()).at(1),
    kind: string().at(2),
    name: string().at(3),
    scope: nullable(string()).listed(false).at(4),
    namespace: optional(string()).at(5),
  },
  {
    defaults(parameters, { gates }) {
      if (gates.enabled("IngressClassNamespacedParams")) parameters.scope ??= "Cluster";
    },
  },
);
export type IngressClassParametersReference = Static<typeof IngressClassParametersReference>;

export const IngressClassSpec = struct("networking.v1.IngressClassSpec", {
  controller: elided(string()).at(1).doc("A domain and a path that say whose ingresses these are."),
  parameters: optional(IngressClassParametersReference).at(2),
});
export type IngressClassSpec = Static<typeof IngressClassSpec>;

export const IngressClass = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  scope: "Cluster",
  doc: "An IngressClass names the controller that implements ingresses.",
  fields: {
    spec: elided(IngressClassSpec).at(2),
  },
  generation: true,
  prepareForCreate(ingressClass, { gates }) {
    if (!gates.enabled("IngressClassNamespacedParams")) dropScope(ingressClass.spec?.parameters);
  },
  prepareForUpdate(ingressClass, old, { gates }) {
    const isUsed = Boolean(old.spec?.parameters?.scope) || old.spec?.parameters?.namespace !== undefined;
    if (!gates.enabled("IngressClassNamespacedParams") && !isUsed) dropScope(ingressClass.spec?.parameters);
  },
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: ({ spec }, old) => [
    ...validateSpec(spec ?? {}),
    ...immutable("spec.controller", spec?.controller, old.spec?.controller),
  ],
  columns: (column) => [
    nameColumn,
    column("Controller", ({ spec }) => spec?.controller ?? ""),
    column("Parameters", ({ spec }) => parametersText(spec?.parameters)),
    ageColumn,
  ],
});
export type IngressClass = Static<typeof IngressClass>;

export const controllerCharsMax = 250;
const scopes = ["Cluster", "Namespace"];

function dropScope(parameters: IngressClassParametersReference | undefined): void {
  if (parameters === undefined) return;
  // The type of a nullable field leaves out the null that stands for its absence.
  (parameters as { scope: string | null }).scope = null;
  delete parameters.namespace;
}

function validateSpec({ controller = "", parameters }: IngressClassSpec): FieldError[] {
  const path = "spec.controller";
  const errors: FieldError[] = [];
  if (Buffer.byteLength(controller) > controllerCharsMax) errors.push(tooLong(path, controller, controllerCharsMax));
  if (controller === "") errors.push(required(path));
  else errors.push(...isDomainPrefixedPath(controller).map((problem) => invalid(path, controller, problem)));
  return parameters ? [...errors, ...validateParameters(parameters, "spec.parameters")] : errors;
}

function validateParameters(parameters: IngressClassParametersReference, path: string): FieldError[] {
  const errors = validateObjectName(parameters, path);
  const { scope, namespace } = parameters;
  if (!scope) return namespace === undefined ? errors : [...errors, required(`${path}.scope`)];
  if (!scopes.includes(scope)) return [...errors, notSupported(`${path}.scope`, scope, scopes)];
  const at = `${path}.namespace`;
  if (scope === "Cluster") {
    return namespace === undefined ? errors : [...errors, forbidden(at, "must not be given when scope is Cluster")];
  }
  if (!namespace) return [...errors, required(at, "must be given when scope is Namespace")];
  return [...errors, ...isDns1123Label(namespace).map((problem) => invalid(at, namespace, problem))];
}

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
