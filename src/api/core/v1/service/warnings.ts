/** What the authors of services are told about their objects. */

import type { Environment } from "../../../../machinery/schema/schema.ts";
import { ipWarnings, rangeWarnings, takesOddForms } from "../../../address-forms.ts";
import { isHeadless } from "./preparation.ts";
import type { ServiceSpec } from "./spec.ts";

export function serviceWarnings(
  { spec = {} }: { readonly spec?: ServiceSpec },
  _old: unknown,
  environment: Environment,
): string[] {
  if (!takesOddForms(environment)) return [];
  const { externalIPs = [], clusterIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  const ignored = (field: string) => `spec.${field} has no effect for headless services`;
  return [
    ...(isHeadless(spec) && loadBalancerIP ? [ignored("loadBalancerIP")] : []),
    ...(isHeadless(spec) && externalIPs.length > 0 ? [ignored("externalIPs")] : []),
    ...(isHeadless(spec) && spec.sessionAffinity === "ClientIP" ? [ignored("sessionAffinity")] : []),
    ...clusterIPs.flatMap((ip, index) => (ip === "None" ? [] : ipWarnings(ip, `spec.clusterIPs[${index}]`))),
    ...externalIPs.flatMap((ip, index) => ipWarnings(ip, `spec.externalIPs[${index}]`)),
    ...ipWarnings(loadBalancerIP, "spec.loadBalancerIP"),
    ...loadBalancerSourceRanges.flatMap((range, index) =>
      rangeWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
  ];
}
