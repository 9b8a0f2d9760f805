/** An EndpointSlice lists a part of the endpoints behind a service. */

import { nextGeneration } from "../../../machinery/meta/metadata.ts";
import type { Static } from "../../../machinery/schema/build.ts";
import { list, string } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { ipWarnings, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { Endpoint, EndpointPort } from "./endpoint.ts";
import { dropNewTopology } from "./topology.ts";
import { endpointsMax, portsMax, validateSlice } from "./validate-endpoint-slice.ts";

export const EndpointSlice = kind({
  group: "discovery.orch.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
  doc: "An EndpointSlice lists a part of the endpoints behind a service.",
  fields: {
    endpoints: list(Endpoint, { topology: "atomic", keepsEmpty: true })
      .listed(false, "1.36")
      .at(2)
      .max(endpointsMax)
      .doc("The endpoints of the slice, at most 1000."),
    ports: list(EndpointPort, { topology: "atomic", keepsEmpty: true })
      .listed(false)
      .at(3)
      .max(portsMax)
      .uniqueBy("name")
      .doc("The ports of every endpoint, at most 100. Empty: none."),
    addressType: string()
      .at(4)
      .required()
      .oneOf(["FQDN", "IPv4", "IPv6"])
      .immutable()
      .doc("IPv4, IPv6 or FQDN; cannot be changed."),
  },
  stored: "discovery.orch.io/v1beta1",
  generation: true,
  prepareForCreate(slice, environment) {
    dropNewTopology(slice.endpoints, undefined, environment);
  },
  prepareForUpdate(slice, old, environment) {
    prepareSliceUpdate(slice, old, environment);
    dropNewTopology(slice.endpoints, old.endpoints, environment);
  },
  validate: validateSlice,
  warnings({ addressType, endpoints }, _old, environment) {
    if (addressType === "FQDN" && has(environment, "addressWarnings"))
      return ["spec.addressType: FQDN endpoints are deprecated"];
    if (!warnsOfOddForms(environment)) return [];
    return (endpoints ?? []).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, at) => ipWarnings(address, `endpoints[${index}].addresses[${at}]`)),
    );
  },
  // An empty list in a request has an owner, but is stored as absent.
  complete(slice) {
    const none: { endpoints?: null; ports?: null } = {};
    if (slice.endpoints?.length === 0) none.endpoints = null;
    if (slice.ports?.length === 0) none.ports = null;
    return Object.assign({ ...slice }, none);
  },
  columns: (column) => [
    nameColumn,
    column("AddressType", (slice) => slice.addressType),
    column("Ports", ({ ports }) => shortList((ports ?? []).map(portText))),
    column("Endpoints", ({ endpoints }) => shortList((endpoints ?? []).flatMap(({ addresses }) => addresses ?? []))),
    ageColumn,
  ],
});
export type EndpointSlice = Static<typeof EndpointSlice>;

interface SliceParts {
  readonly metadata: ObjectMeta;
  readonly endpoints: readonly Endpoint[] | null;
}

/** Clients find slices by labels, so a change of labels counts. */
export function prepareSliceUpdate(slice: SliceParts, old: SliceParts, _environment: Environment): void {
  const { metadata } = slice;
  if (!sameValue(metadata.labels ?? {}, old.metadata.labels ?? {})) {
    metadata.generation = nextGeneration(old.metadata.generation);
  }
}

const portText = ({ port, name }: EndpointPort) => (port === undefined ? (name ?? "*") : String(port));

const shownMax = 3;

function shortList(parts: readonly string[]): string {
  const text = parts.slice(0, shownMax).join(",");
  if (parts.length > shownMax) return `${text} + ${parts.length - shownMax} more...`;
  return text === "" ? "<unset>" : text;
}
