/** The fields of endpoint slices. */

import { validateLabels } from "../../../machinery/meta/labels.ts";
import {
  bool,
  elided,
  int32,
  list,
  map,
  optional,
  type Static,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { protocols } from "../../core/v1/protocols.ts";
import { ObjectReference } from "../../core/v1/references.ts";

export const addressesMax = 100;
export const topologyLabelsMax = 16;
export const zoneHintsMax = 8;
export const nodeHintsMax = 8;

export const EndpointConditions = struct("discovery.v1.EndpointConditions", {
  ready: optional(bool()).at(1).doc("Whether the endpoint is ready. Absent: treat as true."),
  serving: optional(bool())
    .at(2)
    .behind("EndpointSliceTerminatingCondition")
    .doc(
      "Like ready, but also true for terminating endpoints that still pass their readiness probe; needs the feature gate EndpointSliceTerminatingCondition.",
    ),
  terminating: optional(bool())
    .at(3)
    .behind("EndpointSliceTerminatingCondition")
    .doc("Whether the endpoint is being deleted; needs the feature gate EndpointSliceTerminatingCondition."),
});
export type EndpointConditions = Static<typeof EndpointConditions>;

export const ForZone = struct("discovery.v1.ForZone", {
  name: string().at(1).named("labelValue").doc("The name of the zone whose clients should use the endpoint."),
});
export type ForZone = Static<typeof ForZone>;

export const ForNode = struct("discovery.v1.ForNode", {
  name: string().at(1).named("subdomain").doc("The name of the node whose clients should use the endpoint."),
});
export type ForNode = Static<typeof ForNode>;

export const EndpointHints = struct("discovery.v1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" }))
    .at(1)
    .max(zoneHintsMax)
    .uniqueBy("name")
    .doc("Zones in which the endpoint should be used."),
  forNodes: elided(list(ForNode, { topology: "atomic" }))
    .at(2)
    .since("1.33")
    .behind("PreferSameTrafficDistribution")
    .max(nodeHintsMax)
    .uniqueBy("name")
    .doc("Nodes on which the endpoint should be used."),
});
export type EndpointHints = Static<typeof EndpointHints>;

export const Endpoint = struct("discovery.v1.Endpoint", {
  addresses: list(string(), { topology: "set" })
    .at(1)
    .required("must have at least one address")
    .max(addressesMax)
    .doc("Addresses of the endpoint, of the addressType of the slice; 1 to 100, clients may use any."),
  conditions: elided(EndpointConditions).at(2).doc("Whether the endpoint can receive traffic."),
  hostname: optional(string()).at(3).named("label").doc("The host name of the endpoint, a DNS label."),
  targetRef: optional(ObjectReference).at(4).doc("The object behind the endpoint, usually a pod."),
  deprecatedTopology: elided(map(string()))
    .at(5)
    .max(topologyLabelsMax)
    .checked(validateLabels)
    .doc("Values of topology in v1beta1 other than zone and host name; read-only."),
  nodeName: optional(string()).at(6).named("subdomain").doc("The node on which the endpoint runs."),
  zone: optional(string()).at(7).doc("The zone in which the endpoint runs."),
  hints: optional(EndpointHints)
    .at(8)
    .behind("TopologyAwareHints")
    .doc("Hints on which clients should use the endpoint, by zone."),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointPort = struct(
  "discovery.v1.EndpointPort",
  {
    name: optional(string())
      .at(1)
      .named("label")
      .orEmpty()
      .default("")
      .doc("The name of the port, unique in the slice. Default: empty."),
    protocol: optional(string())
      .at(2)
      .required()
      .oneOf(protocols)
      .default("TCP")
      .doc("TCP, UDP or SCTP. Default: TCP."),
    port: optional(int32()).at(3).doc("The port number. Absent: all ports."),
    appProtocol: optional(string())
      .at(4)
      .named("qualified")
      .doc("The application protocol, such as https, or a name with a domain prefix."),
  },
  { from: { "1.22": { topology: "atomic" } } },
);
export type EndpointPort = Static<typeof EndpointPort>;
