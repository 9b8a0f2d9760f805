/** An EndpointSlice lists a part of the endpoints behind a service. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, list, map, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { ObjectReference } from "../../core/v1/references.ts";
import { EndpointSlice as Hub } from "../v1/endpoint-slice.ts";

export const EndpointConditions = struct("discovery.v1beta1.EndpointConditions", {
  ready: optional(bool()).at(1),
  serving: optional(bool()).at(2),
  terminating: optional(bool()).at(3),
});
export type EndpointConditions = Static<typeof EndpointConditions>;

export const ForZone = struct("discovery.v1beta1.ForZone", {
  name: string().at(1),
});
export type ForZone = Static<typeof ForZone>;

export const EndpointHints = struct("discovery.v1beta1.EndpointHints", {
  forZones: elided(list(ForZone, { topology: "atomic" })).at(1),
});
export type EndpointHints = Static<typeof EndpointHints>;

export const Endpoint = struct("discovery.v1beta1.Endpoint", {
  addresses: list(string(), { topology: "set" }).at(1),
  conditions: elided(EndpointConditions).at(2),
  hostname: optional(string()).at(3),
  targetRef: optional(ObjectReference).at(4),
  topology: elided(map(string())).at(5),
  nodeName: optional(string()).at(6),
  hints: optional(EndpointHints).at(7),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointPort = struct("discovery.v1beta1.EndpointPort", {
  name: optional(string()).at(1),
  protocol: optional(string()).at(2),
  port: optional(int32()).at(3),
  appProtocol: optional(string()).at(4),
});
export type EndpointPort = Static<typeof EndpointPort>;

export const EndpointSlice = version(Hub, {
  version: "v1beta1",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic" }).at(2),
    ports: elided(list(EndpointPort, { topology: "atomic" })).at(3),
    addressType: string().at(4),
  },
  deprecated: { since: "1.21", removed: "1.25", replacement: "discovery.orch.io/v1 EndpointSlice" },
});
export type EndpointSlice = Static<typeof EndpointSlice>;
