/** An endpoint of v1beta1, whose topology has labels for zone and node, to v1 and back. */

import { given } from "../../../machinery/json/json-value.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type * as Hub from "../v1/endpoint.ts";
import { hostnameLabel, zoneLabel } from "../v1/topology.ts";
import type { Endpoint } from "./endpoint.ts";

/** The label of the node stays where it says something else than the field does. */
export function endpointToHub({ topology, ...rest }: Endpoint, { vocabulary }: Environment): Hub.Endpoint {
  const labels = new Map(Object.entries(topology ?? {}));
  const zone = labels.get(vocabulary.word(zoneLabel));
  labels.delete(vocabulary.word(zoneLabel));
  if (labels.get(vocabulary.word(hostnameLabel)) === rest.nodeName) labels.delete(vocabulary.word(hostnameLabel));
  return given({ ...rest, zone, deprecatedTopology: fromLabels(labels) });
}

export function endpointFromHub(endpoint: Hub.Endpoint, { vocabulary }: Environment): Endpoint {
  const { zone, deprecatedTopology, ...rest } = endpoint;
  const labels = new Map(Object.entries(deprecatedTopology ?? {}));
  if (zone !== undefined) labels.set(vocabulary.word(zoneLabel), zone);
  const hostname = vocabulary.word(hostnameLabel);
  if (rest.nodeName !== undefined && !labels.get(hostname)) labels.set(hostname, rest.nodeName);
  return given({ ...rest, topology: fromLabels(labels) });
}

const fromLabels = (labels: ReadonlyMap<string, string>): Record<string, string> | undefined =>
  labels.size === 0 ? undefined : Object.fromEntries(labels);
