/** The cluster IPs of services: one for each IP family of a service. */

import { isHeadless, needsClusterIp } from "../../api/core/v1/service/preparation.ts";
import type { ServiceSpec } from "../../api/core/v1/service/spec.ts";
import { familyOf } from "../../api/core/v1/service/validate-addresses.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import { internalError } from "../../machinery/status/status.ts";
import type { Holding } from "./holding.ts";
import type { IpFamily } from "./ip-families.ts";
import type { Holder, Pool } from "./pool.ts";

export type AddressPools = ReadonlyMap<IpFamily, Pool>;

/** All addresses that a service holds. */
export const clusterIpsOf = (spec: ServiceSpec): readonly string[] =>
  needsClusterIp(spec) && !isHeadless(spec) ? (spec.clusterIPs ?? []) : [];

/** Fills in addresses in place. Families are filled in already, unless the feature is off: then only the default one is used. */
export async function takeClusterIps(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  holding: Holding,
  pools: AddressPools,
): Promise<readonly FieldError[]> {
  if (!needsClusterIp(spec) || isHeadless(spec)) return [];
  const had = new Set(before === undefined ? [] : clusterIpsOf(before));
  const addresses: string[] = [];
  const families = spec.ipFamilies?.length ? spec.ipFamilies : [...pools.keys()].slice(0, 1);
  for (const [index, family] of families.entries()) {
    const pool = pools.get(family as IpFamily); // fillFamilies has refused families that the cluster lacks
    if (pool === undefined) throw internalError(`there are no addresses of family ${family}`);
    const wanted = spec.clusterIPs?.[index];
    if (wanted === undefined) {
      const found = await holding.takeAny(pool);
      if (found === undefined) {
        const problem = `all addresses of the range ${pool.range.text} are in use`;
        return [invalid("spec.clusterIPs", spec.clusterIPs ?? [], problem)];
      }
      addresses.push(found);
      continue;
    }
    addresses.push(wanted);
    if (had.has(wanted)) continue;
    const answer = await holding.take(pool, wanted);
    if (answer !== "taken") {
      const problem =
        answer === "held"
          ? "provided IP is already allocated"
          : `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${pool.range.text}`;
      return [invalid("spec.clusterIPs", spec.clusterIPs, problem)];
    }
  }
  if (addresses[0] !== undefined) {
    spec.clusterIPs = addresses;
    spec.clusterIP = addresses[0];
  }
  return [];
}

export async function freeClusterIps(ips: readonly string[], holder: Holder, pools: AddressPools): Promise<void> {
  await Promise.all(
    ips.map((ip) => {
      const pool = pools.get(familyOf(ip));
      return pool?.free(ip, pool.identify(holder));
    }),
  );
}
