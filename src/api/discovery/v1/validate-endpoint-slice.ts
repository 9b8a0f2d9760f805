/** Checks of endpoint slices. */

import { parseIp } from "../../../base/ip-address.ts";
import { validateLabels } from "../../../machinery/meta/labels.ts";
import {
  isDns1123Label,
  isDns1123Subdomain,
  isFullyQualifiedDomainName,
  isLabelValue,
  isQualifiedName,
} from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, duplicate, invalid, notSupported, required, tooMany } from "../../../machinery/status/field-error.ts";
import { protocols } from "../../core/v1/protocols.ts";
import { validateEndpointIp } from "../../ip.ts";
import { immutable } from "../../validation.ts";
import type { Endpoint, EndpointHints, EndpointPort } from "./endpoint-slice.ts";

export const endpointsMax = 1000;
export const addressesMax = 100;
export const portsMax = 20_000;
export const topologyLabelsMax = 16;
export const zoneHintsMax = 8;

const addressTypes = ["FQDN", "IPv4", "IPv6"];

interface SliceParts {
  readonly addressType: string;
  /** Lists without items are null. */
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports: readonly EndpointPort[] | null;
}

export function validateSlice({ addressType, endpoints, ports }: SliceParts): FieldError[] {
  return [
    ...validateAddressType(addressType),
    ...validateEndpoints(endpoints ?? [], addressType),
    ...validatePorts(ports ?? []),
  ];
}

export const validateSliceUpdate = (slice: SliceParts, old: SliceParts): FieldError[] => [
  ...validateSlice(slice),
  ...immutable("addressType", slice.addressType, old.addressType),
];

function validateAddressType(type: string): FieldError[] {
  if (type === "") return [required("addressType")];
  return addressTypes.includes(type) ? [] : [notSupported("addressType", type, addressTypes)];
}

const each = (problems: readonly string[], path: string, value: unknown) =>
  problems.map((problem) => invalid(path, value, problem));

function validateEndpoints(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > endpointsMax) return [tooMany("endpoints", endpoints.length, endpointsMax)];
  return endpoints.flatMap((endpoint, index) => validateEndpoint(endpoint, type, `endpoints[${index}]`));
}

function validateEndpoint(endpoint: Endpoint, type: string, path: string): FieldError[] {
  const { nodeName, hostname, hints, deprecatedTopology = {} } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const labels = Object.keys(deprecatedTopology).length;
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, "must have at least one address"));
  if (addresses.length > addressesMax) errors.push(tooMany(`${path}.addresses`, addresses.length, addressesMax));
  addTo(
    errors,
    addresses.flatMap((address, i) => validateAddress(address, type, `${path}.addresses[${i}]`)),
  );
  if (nodeName !== undefined) errors.push(...each(isDns1123Subdomain(nodeName), `${path}.nodeName`, nodeName));
  if (labels > topologyLabelsMax) errors.push(tooMany(`${path}.deprecatedTopology`, labels, topologyLabelsMax));
  addTo(errors, validateLabels(deprecatedTopology, `${path}.deprecatedTopology`));
  if (hostname !== undefined) errors.push(...each(isDns1123Label(hostname), `${path}.hostname`, hostname));
  return hints ? [...errors, ...validateHints(hints, `${path}.hints.forZones`)] : errors;
}

function validateAddress(address: string, type: string, path: string): FieldError[] {
  switch (type) {
    case "IPv4":
      return parseIp(address)?.version === 4
        ? validateEndpointIp(path, address)
        : [invalid(path, address, "must be an IPv4 address")];
    case "IPv6":
      return parseIp(address)?.version === 6
        ? validateEndpointIp(path, address)
        : [invalid(path, address, "must be an IPv6 address")];
    case "FQDN":
      return address === "" ? [required(path)] : each(isFullyQualifiedDomainName(address), path, address);
    default:
      return []; // the type itself is what is wrong
  }
}

function validateHints({ forZones = [] }: EndpointHints, path: string): FieldError[] {
  if (forZones.length > zoneHintsMax) return [tooMany(path, forZones.length, zoneHintsMax)];
  const names = forZones.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const at = `${path}[${index}].name`;
    const repeated = names.indexOf(name) < index ? [duplicate(at, name)] : [];
    return [...repeated, ...each(isLabelValue(name), at, name)];
  });
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > portsMax) return [tooMany("ports", ports.length, portsMax)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const path = `ports[${index}]`;
    const errors = name === "" ? [] : each(isDns1123Label(name), `${path}.name`, name);
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (protocol === undefined) errors.push(required(`${path}.protocol`));
    else if (!protocols.includes(protocol)) {
      errors.push(notSupported(`${path}.protocol`, protocol, protocols));
    }
    return appProtocol === undefined
      ? errors
      : [...errors, ...each(isQualifiedName(appProtocol), `${path}.appProtocol`, appProtocol)];
  });
}
