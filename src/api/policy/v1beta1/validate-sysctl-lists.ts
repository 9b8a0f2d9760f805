/** The relation between the two lists of kernel parameters that a pod security policy has: they do not overlap. */

import { type FieldErrors, invalid, ofEach } from "../../../machinery/status/field-error.ts";
import type { PodSecurityPolicySpec } from "./security-policy-spec.ts";

/** Patterns of one list times patterns of the other: each is compared with each. */
export const sysctlPairsMax = 100_000;

export function validateSysctlLists(spec: PodSecurityPolicySpec): FieldErrors {
  const { allowedUnsafeSysctls: allowed = [], forbiddenSysctls: refused = [] } = spec;
  if (allowed.length * refused.length > sysctlPairsMax) {
    const problem = "must not be so many that they cannot be compared with those allowed";
    return [invalid("forbiddenSysctls", refused.length, problem)];
  }
  return ofEach(allowed, (pattern, index) => ofEach(refused, (other, at) => validatePair(pattern, index, other, at)));
}

/** The narrower of two that overlap is reported. */
function validatePair(allowed: string, index: number, refused: string, at: number): FieldErrors {
  const wrongAllowed = () => [invalid(`allowedUnsafeSysctls[${index}]`, allowed, `overlaps with ${refused}`)];
  const wrongRefused = () => [invalid(`forbiddenSysctls[${at}]`, refused, `overlaps with ${allowed}`)];
  const allowedPrefix = allowed.endsWith("*") ? allowed.slice(0, -1) : undefined;
  const refusedPrefix = refused.endsWith("*") ? refused.slice(0, -1) : undefined;
  if (refusedPrefix !== undefined && (allowedPrefix ?? allowed).startsWith(refusedPrefix)) return wrongAllowed();
  if (allowedPrefix !== undefined && (refusedPrefix ?? refused).startsWith(allowedPrefix)) return wrongRefused();
  return allowedPrefix === undefined && refusedPrefix === undefined && allowed === refused ? wrongAllowed() : [];
}
