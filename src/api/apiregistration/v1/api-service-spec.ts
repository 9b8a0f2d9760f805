/** The fields of API services. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { changeFields } from "../../common-fields.ts";

export const groupPriorityMax = 20_000;
export const versionPriorityMax = 1000;

export const APIServiceCondition = struct("apiregistration.v1.APIServiceCondition", {
  type: string().at(1).doc("Available: whether requests for the group version can be served."),
  status: string()
    .at(2)
    .openApiEnum("none")
    .oneOf(["False", "True", "Unknown"])
    .doc("Whether the condition holds: True, False or Unknown."),
  ...changeFields(3),
});
export type APIServiceCondition = Static<typeof APIServiceCondition>;

export const ServiceReference = struct("apiregistration.v1.ServiceReference", {
  namespace: elided(string()).at(1).required().doc("The namespace of the service."),
  name: elided(string()).at(2).required().doc("The name of the service."),
  port: optional(int32())
    .at(3)
    .atLeast(1)
    .atMost(65535, "must be between 1 and 65535")
    .default(443)
    .doc("The port of the service, 1 to 65535. Default: 443."),
});
export type ServiceReference = Static<typeof ServiceReference>;

export const APIServiceSpec = struct("apiregistration.v1.APIServiceSpec", {
  service: optional(ServiceReference)
    .at(1)
    .doc("The service that serves the group version. Absent: this server itself."),
  group: elided(string()).at(2).named("subdomain").doc("The API group that is served; empty only for the core group."),
  version: elided(string())
    .at(3)
    .named("label1035")
    .evenEmpty()
    .doc("The version of the group that is served, such as v1."),
  insecureSkipTLSVerify: elided(bool())
    .at(4)
    .doc("Accepts any certificate of the server; for tests only, and excludes caBundle. Default: false."),
  caBundle: elided(bytes())
    .at(5)
    .openApiAtomic()
    .doc(
      "PEM certificates of the authorities that may have signed the certificate of the server. Absent: the trusted roots of the API server.",
    ),
  groupPriorityMinimum: int32()
    .at(7)
    .atLeast(1)
    .atMost(groupPriorityMax, `must be between 1 and ${groupPriorityMax}`)
    .doc("The least priority of the group, 1 to 20000; in discovery, groups with higher numbers come first."),
  versionPriority: int32()
    .at(8)
    .atLeast(1)
    .atMost(versionPriorityMax, `must be between 1 and ${versionPriorityMax}`)
    .doc("The priority of the version in its group, 1 to 1000; higher numbers come first."),
});
export type APIServiceSpec = Static<typeof APIServiceSpec>;

export const APIServiceStatus = struct("apiregistration.v1.APIServiceStatus", {
  conditions: elided(
    list(APIServiceCondition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .doc("The current state of the API service, one entry for each condition type."),
});
export type APIServiceStatus = Static<typeof APIServiceStatus>;
