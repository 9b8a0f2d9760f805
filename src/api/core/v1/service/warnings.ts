/** What the authors of services are told about their objects. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { ipWarnings, rangeWarnings, warnsOfOddForms } from "../../../address-forms.ts";
import { isHeadless } from "./preparation.ts";
import type { ServiceSpec } from "./spec.ts";
import { topologyAnnotations } from "./topology-annotations.ts";

export function serviceWarnings(
  { metadata, spec = {} }: { readonly metadata: ObjectMeta; readonly spec?: ServiceSpec },
  _old: unknown,
  environment: Environment,
): string[] {
  if (!warnsOfOddForms(environment)) return [];
  const { externalIPs = [], clusterIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  const ignored = (field: string) => `spec.${field} is ignored for headless services`;
  const { hints, mode } = topologyAnnotations(environment);
  return [
    ...(metadata.annotations?.[hints] !== undefined
      ? [`annotation ${hints} is deprecated, please use ${mode} instead`]
      : []),
    ...(isHeadless(spec) && loadBalancerIP ? [ignored("loadBalancerIP")] : []),
    ...(isHeadless(spec) && externalIPs.length > 0 ? [ignored("externalIPs")] : []),
    ...(isHeadless(spec) && spec.sessionAffinity === "ClientIP" ? [ignored("SessionAffinity")] : []),
    ...(spec.type === "ExternalName" && externalIPs.length > 0
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : []),
    ...(spec.type !== "ExternalName" && spec.externalName
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
    ...(spec.trafficDistribution === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
    ...clusterIPs.flatMap((ip, index) => (ip === "None" ? [] : ipWarnings(ip, `spec.clusterIPs[${index}]`))),
    ...externalIPs.flatMap((ip, index) => ipWarnings(ip, `spec.externalIPs[${index}]`)),
    ...ipWarnings(loadBalancerIP, "spec.loadBalancerIP"),
    ...loadBalancerSourceRanges.flatMap((range, index) =>
      rangeWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
  ];
}
