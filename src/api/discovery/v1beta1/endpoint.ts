/** The fields of an endpoint in v1beta1. */

import { elided, list, map, optional, renamed, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { EndpointConditions as HubEndpointConditions, ForZone as HubForZone } from "../v1/endpoint.ts";

const EndpointConditions = renamed("discovery.v1beta1.EndpointConditions", HubEndpointConditions);

const ForZone = renamed("discovery.v1beta1.ForZone", HubForZone);

const EndpointHints = struct("discovery.v1beta1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" }))
    .at(1)
    .doc("Zones in which the endpoint should be used."),
});

export const Endpoint = struct("discovery.v1beta1.Endpoint", {
  addresses: list(string(), { topology: "set" })
    .at(1)
    .doc("Addresses of the endpoint, of the addressType of the slice; 1 to 100, clients may use any."),
  conditions: elided(EndpointConditions).at(2).doc("Whether the endpoint can receive traffic."),
  hostname: optional(string()).at(3).doc("The host name of the endpoint, a DNS label."),
  targetRef: optional(ObjectReference).at(4).doc("The object behind the endpoint, usually a pod."),
  topology: elided(map(string()))
    .at(5)
    .doc("Labels of the place in which the endpoint runs, such as its host name and zone; deprecated."),
  nodeName: optional(string()).at(6).doc("The node on which the endpoint runs."),
  hints: optional(EndpointHints).at(7).doc("Hints on which clients should use the endpoint, by zone."),
});
export type Endpoint = Static<typeof Endpoint>;
