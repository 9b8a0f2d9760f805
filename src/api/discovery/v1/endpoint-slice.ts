/** An EndpointSlice lists a part of the endpoints behind a service. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ObjectReference } from "../../core/v1/references.ts";

export const EndpointConditions = struct("discovery.v1.EndpointConditions", {
  ready: optional(bool()).at(1),
  serving: optional(bool()).at(2),
  terminating: optional(bool()).at(3),
});
export type EndpointConditions = Static<typeof EndpointConditions>;

export const ForZone = struct("discovery.v1.ForZone", {
  name: string().at(1),
});
export type ForZone = Static<typeof ForZone>;

export const EndpointHints = struct("discovery.v1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" })).at(1),
});
export type EndpointHints = Static<typeof EndpointHints>;

export const Endpoint = struct("discovery.v1.Endpoint", {
  addresses: list(string(), { topology: "set" }).at(1),
  conditions: elided(EndpointConditions).at(2),
  hostname: optional(string()).at(3),
  targetRef: optional(ObjectReference).at(4),
  deprecatedTopology: elided(map(string())).at(5),
  nodeName: optional(string()).at(6),
  zone: optional(string()).at(7),
  hints: optional(EndpointHints).at(8),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointPort = struct("discovery.v1.EndpointPort", {
  name: optional(string()).at(1),
  protocol: optional(string()).at(2),
  port: optional(int32()).at(3),
  appProtocol: optional(string()).at(4),
});
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSlice = kind({
  group: "discovery.orch.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
  doc: "An EndpointSlice lists a part of the endpoints behind a service.",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic" }).at(2),
    ports: elided(list(EndpointPort, { topology: "atomic" })).at(3),
    addressType: string().at(4),
  },
});
export type EndpointSlice = Static<typeof EndpointSlice>;
