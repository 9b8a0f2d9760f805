/** The IP families of a service: the requested ones, among those of the cluster. */

import { isHeadless } from "../../api/core/v1/service/preparation.ts";
import type { ServiceSpec } from "../../api/core/v1/service/spec.ts";
import { familyOf, validateAddresses } from "../../api/core/v1/service/validate-addresses.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";

export type IpFamily = "IPv4" | "IPv6";

/**
 * Fills in families and policy in place. `configured` are those of the cluster, the default first; `before` is the previous
 * state of the service, if it existed.
 */
export function fillFamilies(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  configured: readonly IpFamily[],
  environment: Pick<Environment, "level" | "has" | "gates">,
): readonly FieldError[] {
  if (environment.has("keptFamilyPolicy")) keepPolicy(spec, before);
  if (spec.type === "ExternalName" || stillPrefersBoth(spec, before)) return [];
  const problems = validateAddresses(spec, environment);
  if (problems.length > 0) return problems;
  const refusals = [
    ...refuseTwo(spec, environment.has("keptFamilyPolicy") && before === undefined),
    ...inferFamilies(spec, configured),
  ];
  if (refusals.length > 0) return refusals;
  if (isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0) {
    fillWithoutSelector(spec, configured);
    return [];
  }
  const errors = refuseMissing(spec, configured);
  if (errors.length > 0) return errors;
  spec.ipFamilyPolicy ??= "SingleStack";
  const families = spec.ipFamilies?.length ? spec.ipFamilies : configured.slice(0, 1);
  const wantsMore = spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && configured.length === 2;
  spec.ipFamilies = wantsMore ? [...families, other(families[0])] : [...families];
  return [];
}

/** A service that keeps both addresses through a PUT which does not mention them keeps the policy that gave them. */
function keepPolicy(spec: ServiceSpec, before: ServiceSpec | undefined): void {
  if (spec.ipFamilyPolicy !== undefined || before?.ipFamilyPolicy === undefined) return;
  if (spec.clusterIPs?.length !== 2 || !sameValue(spec.clusterIPs, before.clusterIPs)) return;
  spec.ipFamilyPolicy = before.ipFamilyPolicy;
  if (!spec.ipFamilies?.length && before.ipFamilies) spec.ipFamilies = [...before.ipFamilies];
}

/** A service does not get another address when the cluster gets a second family after the service was written. */
function stillPrefersBoth(spec: ServiceSpec, before: ServiceSpec | undefined): boolean {
  if (spec.ipFamilyPolicy !== "PreferDualStack" || before?.ipFamilyPolicy !== "PreferDualStack") return false;
  if (spec.type !== before.type) return false;
  return sameValue(spec.clusterIPs, before.clusterIPs) && sameValue(spec.ipFamilies, before.ipFamilies);
}

const other = (family: string | undefined): IpFamily => (family === "IPv4" ? "IPv6" : "IPv4");

/** `always`: also where no policy is given. */
function refuseTwo({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec, always: boolean): FieldError[] {
  if (ipFamilyPolicy !== "SingleStack" && !(always && ipFamilyPolicy === undefined)) return [];
  const problem = (field: string) =>
    invalid("spec.ipFamilyPolicy", ipFamilyPolicy, `must be RequireDualStack or PreferDualStack with two ${field}`);
  return [
    ...(clusterIPs.length === 2 ? [problem("clusterIPs")] : []),
    ...(ipFamilies.length === 2 ? [problem("ipFamilies")] : []),
  ];
}

/** Requested addresses determine the families. */
function inferFamilies(spec: ServiceSpec, configured: readonly IpFamily[]): FieldError[] {
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === "None") break;
    if (index < families.length) continue;
    const family = familyOf(ip);
    if (!configured.includes(family)) {
      return [
        invalid(`spec.clusterIPs[${index}]`, ip, `may not use ${family} on a cluster that is not configured for it`),
      ];
    }
    families.push(family);
  }
  if (families.length > 0) spec.ipFamilies = families;
  return [];
}

/** Only the owner of such a service knows its endpoints, so it may have those of both families. */
function fillWithoutSelector(spec: ServiceSpec, configured: readonly IpFamily[]): void {
  spec.ipFamilyPolicy ??= "RequireDualStack";
  const families = spec.ipFamilies?.length ? spec.ipFamilies : configured.slice(0, 1);
  const isDual = families.length > 1 || spec.ipFamilyPolicy === "SingleStack";
  spec.ipFamilies = isDual ? [...families] : [...families, other(families[0])];
}

function refuseMissing(
  { ipFamilyPolicy, ipFamilies = [] }: ServiceSpec,
  configured: readonly IpFamily[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === "RequireDualStack" && configured.length < 2) {
    errors.push(invalid("spec.ipFamilyPolicy", ipFamilyPolicy, "this cluster is not configured for two IP families"));
  }
  ipFamilies.forEach((family, index) => {
    if ((configured as readonly string[]).includes(family)) return;
    errors.push(invalid(`spec.ipFamilies[${index}]`, family, `${family} is not configured on this cluster`));
  });
  return errors;
}
