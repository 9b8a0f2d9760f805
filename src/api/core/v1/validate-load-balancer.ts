/** Checks of what a load balancer reports, for services and ingresses. */

import { ipVersion, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { invalid } from "../../../machinery/status/field-error.ts";
import type { LoadBalancerStatus } from "./load-balancer.ts";

export function validateLoadBalancerStatus(status: LoadBalancerStatus | undefined, path: string): FieldError[] {
  return (status?.ingress ?? []).flatMap(({ ip, hostname }, index) => {
    const at = `${path}.ingress[${index}]`;
    const errors: FieldError[] = [];
    if (ip && ipVersion(ip) === 0) errors.push(invalid(`${at}.ip`, ip, "must be a valid IP address"));
    if (!hostname) return errors;
    errors.push(...isDns1123Subdomain(hostname).map((problem) => invalid(`${at}.hostname`, hostname, problem)));
    if (ipVersion(hostname) !== 0) {
      errors.push(invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address"));
    }
    return errors;
  });
}
