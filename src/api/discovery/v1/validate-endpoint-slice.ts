/** Relations between the fields of endpoint slices. */

import { formatIp, parseIp } from "../../../base/ip-address.ts";
import { isFullyQualifiedDomainName } from "../../../machinery/meta/names.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { each, type FieldErrors, invalid, noErrors, ofEach, required } from "../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../address-forms.ts";
import { has } from "../../features.ts";
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
export function validateSlice({ addressType, endpoints }: SliceParts, environment: Environment): FieldErrors {
  if ((endpoints ?? []).length > endpointsMax) return noErrors; // that is reported
  return ofEach(endpoints, ({ addresses }, index) =>
    ofEach(addresses, (address, at) => {
      const path = `endpoints[${index}].addresses`;
      return (takesOddForms(environment) || has(environment, "canonicalEndpoints")) && addressType !== "FQDN"
        ? validateLateAddress(address, addressType, path, at, environment)
        : validateAddress(address, addressType, `${path}[${at}]`);
    }),
  );
}

/** IPv4 in any form, but IPv6 in its canonical one. An address of the other family is reported for the list since 1.33. */
function validateLateAddress(
  address: string,
  type: string,
  path: string,
  index: number,
  environment: Environment,
): FieldErrors {
  const at = `${path}[${index}]`;
  if (type !== "IPv4" && type !== "IPv6") return noErrors; // the type itself is what is wrong
  const parsed = takesOddForms(environment) ? parseOddIp(address) : parseIp(address);
  if (parsed === undefined) return [invalid(at, address, "must be an IP address")];
  if (parsed.version !== Number(type.slice(-1)))
    return [invalid(has(environment, "canonicalEndpoints") ? path : at, address, `must be an ${type} address`)];
  if (type === "IPv6" && has(environment, "canonicalEndpoints") && formatIp(parsed) !== address)
    return [invalid(at, address, "must be in canonical form")];
  return validateEndpointIp(at, formatIp(parsed));
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
