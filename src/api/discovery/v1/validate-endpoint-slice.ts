/** Relations between the fields of endpoint slices. */

import { parseIp } from "../../../base/ip-address.ts";
import { isFullyQualifiedDomainName } from "../../../machinery/meta/names.ts";
import { each, type FieldErrors, invalid, noErrors, ofEach, required } from "../../../machinery/status/field-error.ts";
import { validateEndpointIp } from "../../ip.ts";
import type { Endpoint } from "./endpoint.ts";

export const endpointsMax = 1000;
export const portsMax = 20_000;

interface SliceParts {
  readonly addressType: string;
  /** A list without items is null. */
  readonly endpoints: readonly Endpoint[] | null;
}

/** Addresses are of the type that the slice names. */
export function validateSlice({ addressType, endpoints }: SliceParts): FieldErrors {
  if ((endpoints ?? []).length > endpointsMax) return noErrors; // that is reported
  return ofEach(endpoints, ({ addresses }, index) =>
    ofEach(addresses, (address, at) => validateAddress(address, addressType, `endpoints[${index}].addresses[${at}]`)),
  );
}

function validateAddress(address: string, type: string, path: string): FieldErrors {
  switch (type) {
    case "IPv4":
    case "IPv6":
      return parseIp(address)?.version === Number(type.slice(-1))
        ? validateEndpointIp(path, address)
        : [invalid(path, address, `must be an ${type} address`)];
    case "FQDN":
      return address === "" ? [required(path)] : each(isFullyQualifiedDomainName(address), path, address);
    default:
      return noErrors; // the type itself is what is wrong
  }
}
