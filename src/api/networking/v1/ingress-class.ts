/** An IngressClass names the controller that implements ingresses. */

import { isDomainPrefixedPath } from "../../../machinery/meta/names.ts";
import { elided, nullable, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { checkedWhen, on } from "../../../machinery/schema/constraints.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { forbid, need } from "../../../machinery/schema/relations.ts";
import {
  each,
  type FieldErrors,
  noErrors,
  required,
  together,
  tooLong,
} from "../../../machinery/status/field-error.ts";
import { ageColumn, nameColumn } from "../../columns.ts";

const namespaceText = "must be given when scope is Namespace";

const IngressClassParametersReference = struct(
  "networking.v1.IngressClassParametersReference",
  {
    apiGroup: optional(string()).at(1).named("subdomain").doc("The API group of the object. Absent: the core group."),
    kind: string().at(2).required().named("pathSegment").doc("The kind of the object."),
    name: string().at(3).required().named("pathSegment").doc("The name of the object."),
    scope: nullable(string())
      .listed(false)
      .at(4)
      .oneOf(["Cluster", "Namespace"])
      .openApiEnum("none")
      .before("1.22", (scope) => scope.orEmpty())
      .behind("IngressClassNamespacedParams", { becomes: null })
      .doc("Cluster or Namespace. Default: Cluster. Needs the feature gate IngressClassNamespacedParams."),
    namespace: optional(string())
      .at(5)
      .filled(namespaceText)
      .named("label")
      .behind("IngressClassNamespacedParams")
      .doc("The namespace of the object; required with scope Namespace."),
  },
  {
    defaults(parameters, { gates }) {
      if (gates.enabled("IngressClassNamespacedParams")) parameters.scope ??= "Cluster";
    },
  },
);
type IngressClassParametersReference = Static<typeof IngressClassParametersReference>;

const IngressClassSpec = struct("networking.v1.IngressClassSpec", {
  controller: elided(string())
    .at(1)
    .required()
    .checked(validateController)
    .immutable()
    .doc(
      "The controller that serves the class, as a domain and a path, such as example.com/ingress; cannot be changed.",
    ),
  parameters: optional(IngressClassParametersReference)
    .at(2)
    .doc("An object with further settings for the controller. Absent: none are needed."),
});

const ofNamespace = ({ scope }: IngressClassParametersReference): boolean => scope === "Namespace";

export const IngressClass = kind({
  group: "networking.orch.io",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  scope: "Cluster",
  doc: "An IngressClass names the controller that implements ingresses.",
  fields: {
    spec: elided(IngressClassSpec).at(2).doc("The desired state of the ingress class, set by its users."),
  },
  generation: true,
  relations: [
    on(IngressClassParametersReference, ({ scope, namespace }) =>
      !scope && namespace !== undefined ? [required("scope")] : noErrors,
    ),
    checkedWhen(IngressClassParametersReference, ["namespace"], ofNamespace),
    need(IngressClassParametersReference, "namespace", namespaceText, ofNamespace),
    forbid(
      IngressClassParametersReference,
      "namespace",
      "must not be given when scope is Cluster",
      ({ scope }) => scope === "Cluster",
    ),
  ],
  columns: (column) => [
    nameColumn,
    column("Controller", ({ spec }) => spec?.controller ?? ""),
    column("Parameters", ({ spec }) => parametersText(spec?.parameters)),
    ageColumn,
  ],
});
export type IngressClass = Static<typeof IngressClass>;

const controllerCharsMax = 250;

function validateController(controller: string): FieldErrors {
  return together(
    Buffer.byteLength(controller) > controllerCharsMax ? [tooLong("", controller, controllerCharsMax)] : noErrors,
    each(isDomainPrefixedPath(controller), "", controller),
  );
}

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
