/** The cluster ranges that nodes get parts of, from the flags of the controller manager. */

import { isIpv6 } from "../../base/ip-address.ts";
import type { Settings } from "../settings.ts";
import { Ranges } from "./ranges.ts";

/** Unless flags say otherwise, as in v1.21. */
const defaultMaskBits = { 4: 24, 6: 64 } as const;

type RangeSettings = Pick<
  Settings,
  "clusterCidr" | "serviceClusterIpRange" | "nodeCidrMaskSize" | "nodeCidrMaskSizeIpv4" | "nodeCidrMaskSizeIpv6"
>;

/** One for each range of the cluster; addresses of services are in none of them. Throws an Error that names the flag. */
export function nodeRanges(settings: RangeSettings): readonly Ranges[] {
  const versions = settings.clusterCidr.map((cidr) => (isIpv6(cidr.split("/")[0] ?? "") ? 6 : 4));
  if (versions.length === 0) throw new Error("--cluster-cidr must be given with --allocate-node-cidrs");
  if (versions.length > 2 || (versions.length === 2 && versions[0] === versions[1]))
    throw new Error("--cluster-cidr must be one range, or one of IPv4 and one of IPv6");
  const bitsOf = maskBits(settings, versions.length === 2);
  const ranges = settings.clusterCidr.map(
    (cidr, index) => new Ranges({ cidr, partBits: bitsOf(versions[index] ?? 4) }),
  );
  for (const cidr of settings.serviceClusterIpRange) for (const each of ranges) each.occupy(cidr);
  return ranges;
}

/** One flag for a cluster with one range, one for each version in a dual-stack cluster. Zero: not given. */
function maskBits(
  { nodeCidrMaskSize: single, nodeCidrMaskSizeIpv4: ipv4, nodeCidrMaskSizeIpv6: ipv6 }: RangeSettings,
  isDualStack: boolean,
): (version: 4 | 6) => number {
  if (isDualStack && single !== 0) throw new Error("--node-cidr-mask-size is not allowed in a dual-stack cluster");
  if (!isDualStack && (ipv4 !== 0 || ipv6 !== 0))
    throw new Error(
      "--node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 are allowed in a dual-stack cluster only",
    );
  return (version) => (isDualStack ? (version === 4 ? ipv4 : ipv6) : single) || defaultMaskBits[version];
}
