/** A Service gives a set of pods one stable address. */

import { elided, type Static } from "../../../machinery/schema/build.ts";
import { allVerbs, kind, status } from "../../../machinery/schema/kind.ts";
import { forbidden } from "../../../machinery/status/field-error.ts";
import { ipWarnings, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, labelsText, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { externalText, portsText } from "./service/columns.ts";
import { fillServiceSpec } from "./service/defaults.ts";
import { checkLoadBalancer } from "./service/load-balancer.ts";
import { prepareNewService, prepareServiceUpdate } from "./service/preparation.ts";
import { ServiceSpec, ServiceStatus } from "./service/spec.ts";
import { serviceRelations, validateService, validateServiceUpdate } from "./service/validate.ts";
import { serviceWarnings } from "./service/warnings.ts";

export const Service = kind({
  group: "",
  version: "v1",
  kind: "Service",
  resource: "services",
  scope: "Namespaced",
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  from: {
    "1.36": { name: "label" },
    "1.23": { verbs: allVerbs, returnsDeleted: true, createOnUpdate: true, compat: {} },
    "1.31": {
      selectableFields: {
        "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "",
        "spec.type": ({ spec }) => spec?.type ?? "",
      },
    },
  },
  doc: "A Service gives a set of pods one stable address.",
  fields: {
    spec: elided(ServiceSpec).at(2).doc("The desired state of the service, set by its users."),
    status: elided(ServiceStatus).at(3).doc("The most recently observed state of the service, written by the system."),
  },
  name: "label1035",
  compat: { checksVersion: true, hidesDeleted: true },
  warnings: serviceWarnings,
  defaults(service, environment) {
    service.spec ??= {};
    fillServiceSpec(service.spec, environment);
  },
  prepareForCreate: prepareNewService,
  prepareForUpdate: prepareServiceUpdate,
  relations: serviceRelations,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  columns: (column) => [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("Cluster-IP", ({ spec }) => spec?.clusterIPs?.[0] ?? "<none>"),
    column("External-IP", externalText),
    column("Port(s)", ({ spec }) => portsText(spec?.ports ?? [])),
    ageColumn,
    column("Selector", ({ spec }) => labelsText(spec?.selector), { priority: 1 }),
  ],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "ServiceProxyOptions",
      action: "services/proxy",
      connects: { path: "text" },
    },
    status({
      validate: ({ spec, status }: { spec?: ServiceSpec; status?: ServiceStatus }, _old, environment) =>
        has(environment, "checkedLoadBalancers") &&
        spec?.type !== "LoadBalancer" &&
        status?.loadBalancer?.ingress?.length
          ? [forbidden("status.loadBalancer.ingress", "may only be set for services of type LoadBalancer")]
          : checkLoadBalancer(status?.loadBalancer, "status.loadBalancer", environment),
      // v1.35 names the item, not its member.
      warnings: ({ status }, environment) =>
        warnsOfOddForms(environment)
          ? (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
              ip ? ipWarnings(ip, `status.loadBalancer.ingress[${index}]`) : [],
            )
          : [],
    }),
  ],
});
export type Service = Static<typeof Service>;
