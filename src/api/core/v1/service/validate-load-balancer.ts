/** Checks of what load balancers report. */

import { isDns1123Subdomain, isIp } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { type FieldError, forbidden, invalid, notSupported } from "../../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../../address-forms.ts";
import type { LoadBalancerStatus } from "./load-balancer.ts";

const ipModes = ["Proxy", "VIP"];

export function validateLoadBalancerStatus(
  status: LoadBalancerStatus | undefined,
  path: string,
  environment: Environment,
): FieldError[] {
  const isTaken = takesOddForms(environment) ? (ip: string) => parseOddIp(ip) !== undefined : () => false;
  return (status?.ingress ?? []).flatMap(({ ip, hostname, ipMode }, index) => {
    const at = `${path}.ingress[${index}]`;
    const errors: FieldError[] = ip && !isTaken(ip) ? isIp(ip).map((problem) => invalid(`${at}.ip`, ip, problem)) : [];
    if (ipMode !== undefined && !ip) errors.push(forbidden(`${at}.ipMode`, "may not be set without an ip"));
    else if (ipMode !== undefined && !ipModes.includes(ipMode))
      errors.push(notSupported(`${at}.ipMode`, ipMode, ipModes));
    if (!hostname) return errors;
    errors.push(...isDns1123Subdomain(hostname).map((problem) => invalid(`${at}.hostname`, hostname, problem)));
    if (isIp(hostname).length === 0) errors.push(invalid(`${at}.hostname`, hostname, "must be a name, not an address"));
    return errors;
  });
}
