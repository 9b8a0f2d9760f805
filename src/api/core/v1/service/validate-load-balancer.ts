/** Checks of what load balancers report. */

import { isDns1123Subdomain, isIp } from "../../../../machinery/meta/names.ts";
import { type FieldError, invalid } from "../../../../machinery/status/field-error.ts";
import type { LoadBalancerStatus } from "./load-balancer.ts";

export function validateLoadBalancerStatus(status: LoadBalancerStatus | undefined, path: string): FieldError[] {
  return (status?.ingress ?? []).flatMap(({ ip, hostname }, index) => {
    const at = `${path}.ingress[${index}]`;
    const errors: FieldError[] = ip ? isIp(ip).map((problem) => invalid(`${at}.ip`, ip, problem)) : [];
    if (!hostname) return errors;
    errors.push(...isDns1123Subdomain(hostname).map((problem) => invalid(`${at}.hostname`, hostname, problem)));
    if (isIp(hostname).length === 0) errors.push(invalid(`${at}.hostname`, hostname, "must be a name, not an address"));
    return errors;
  });
}
