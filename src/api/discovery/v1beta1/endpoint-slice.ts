/** EndpointSlice in v1beta1: zone and node are labels of a topology. */

import { list, renamed, type Static, string } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { EndpointPort as HubEndpointPort } from "../v1/endpoint.ts";
import { EndpointSlice as Hub, prepareSliceUpdate } from "../v1/endpoint-slice.ts";
import { endpointFromHub, endpointToHub } from "./convert-endpoint.ts";
import { Endpoint } from "./endpoint.ts";

const EndpointPort = renamed("discovery.v1beta1.EndpointPort", HubEndpointPort, { from: {} });

export const EndpointSlice = version(Hub, {
  version: "v1beta1",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic", keepsEmpty: true })
      .at(2)
      .doc("The endpoints of the slice, at most 1000."),
    ports: list(EndpointPort, { topology: "atomic", keepsEmpty: true })
      .listed(false)
      .at(3)
      .doc("The ports of every endpoint, at most 100. Empty: none."),
    addressType: string().at(4).doc("IPv4, IPv6 or FQDN; cannot be changed."),
  },
  // Here the topology may be written.
  strategy: {
    prepareForCreate: () => {},
    prepareForUpdate: prepareSliceUpdate,
  },
  toHub: ({ endpoints, ...rest }, environment) => ({
    ...rest,
    endpoints: endpoints?.map((endpoint) => endpointToHub(endpoint, environment)),
  }),
  fromHub: ({ endpoints, ...rest }, environment) => ({
    ...rest,
    endpoints: endpoints?.map((endpoint) => endpointFromHub(endpoint, environment)),
  }),
  deprecated: { since: "1.21", removed: "1.25", replacement: "discovery.orch.io/v1 EndpointSlice" },
});
export type EndpointSlice = Static<typeof EndpointSlice>;
