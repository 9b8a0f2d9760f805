/** What the authors of services are told about their objects. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import {
  earlyIpWarnings,
  earlyRangeWarnings,
  ipWarnings,
  rangeWarnings,
  warnsOfOddForms,
} from "../../../address-forms.ts";
import { has } from "../../../features.ts";
import { isHeadless } from "./preparation.ts";
import type { ServiceSpec } from "./spec.ts";
import { topologyAnnotations } from "./topology-annotations.ts";

export function serviceWarnings(
  { metadata, spec = {} }: { readonly metadata: ObjectMeta; readonly spec?: ServiceSpec },
  _old: unknown,
  environment: Environment,
): string[] {
  if (!has(environment, "addressWarnings")) return [];
  const isLate = warnsOfOddForms(environment);
  const { hints, mode } = topologyAnnotations(environment);
  const ofHints =
    has(environment, "topologyModes") && metadata.annotations?.[hints] !== undefined
      ? [`annotation ${hints} is deprecated, please use ${mode} instead`]
      : [];
  return [...ofHints, ...(isLate ? ignoredFields(spec) : []), ...addressWarnings(spec, isLate)];
}

function ignoredFields(spec: ServiceSpec): string[] {
  const { externalIPs = [], loadBalancerIP = "" } = spec;
  const ignored = (field: string) => `spec.${field} is ignored for headless services`;
  return [
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
  ];
}

function addressWarnings(spec: ServiceSpec, isLate: boolean): string[] {
  const { externalIPs = [], clusterIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  const [ofIp, ofRange] = isLate ? [ipWarnings, rangeWarnings] : [earlyIpWarnings, earlyRangeWarnings];
  return [
    ...clusterIPs.flatMap((ip, index) => (ip === "None" ? [] : ofIp(ip, `spec.clusterIPs[${index}]`))),
    ...externalIPs.flatMap((ip, index) => ofIp(ip, `spec.externalIPs[${index}]`)),
    ...ofIp(loadBalancerIP, "spec.loadBalancerIP"),
    ...loadBalancerSourceRanges.flatMap((range, index) => ofRange(range, `spec.loadBalancerSourceRanges[${index}]`)),
  ];
}
