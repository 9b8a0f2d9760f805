/** Checks of the two lists of kernel parameters that a pod security policy has: names and patterns, and no overlap. */

import { type FieldError, forbidden, invalid } from "../../../machinery/status/field-error.ts";
import { isSysctlPart, sysctlCharsMax } from "../../core/v1/pod/sysctl-name.ts";

const allowedPath = "spec.allowedUnsafeSysctls";
const forbiddenPath = "spec.forbiddenSysctls";

export function validateSysctlLists(allowed: readonly string[], refused: readonly string[]): FieldError[] {
  return [
    ...validateList(allowed, allowedPath),
    ...validateList(refused, forbiddenPath),
    ...validatePairs(allowed, refused),
  ];
}

/** Patterns of one list times patterns of the other: each is compared with each. */
export const sysctlPairsMax = 100_000;

function validatePairs(allowed: readonly string[], refused: readonly string[]): FieldError[] {
  if (allowed.length * refused.length > sysctlPairsMax) {
    return [
      invalid(forbiddenPath, refused.length, "must not be so many that they cannot be compared with those allowed"),
    ];
  }
  return allowed.flatMap((pattern, index) => refused.flatMap((other, at) => validatePair(pattern, index, other, at)));
}

function validateList(patterns: readonly string[], path: string): FieldError[] {
  const errors = patterns.flatMap((pattern, index) =>
    isPattern(pattern) ? [] : [invalid(`${path}[${index}]`, pattern, "must be the name of a sysctl, or end with '*'")],
  );
  const coversAll = patterns.some((pattern) => isPattern(pattern) && pattern.startsWith("*"));
  if (coversAll && patterns.length > 1) errors.push(forbidden(`${path}.items`, "'*' must stand alone"));
  return errors;
}

/** Parts with dots between; the last may end with a star. */
function isPattern(pattern: string): boolean {
  if (pattern.length > sysctlCharsMax) return false;
  const parts = pattern.split(".");
  const last = parts.pop() ?? "";
  return parts.every(isSysctlPart) && /^(?:[a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/.test(last);
}

/** The narrower of two that overlap is reported. */
function validatePair(allowed: string, index: number, refused: string, at: number): FieldError[] {
  const wrongAllowed = () => [invalid(`${allowedPath}[${index}]`, allowed, `overlaps with ${refused}`)];
  const wrongRefused = () => [invalid(`${forbiddenPath}[${at}]`, refused, `overlaps with ${allowed}`)];
  const allowedPrefix = allowed.endsWith("*") ? allowed.slice(0, -1) : undefined;
  const refusedPrefix = refused.endsWith("*") ? refused.slice(0, -1) : undefined;
  if (refusedPrefix !== undefined && (allowedPrefix ?? allowed).startsWith(refusedPrefix)) return wrongAllowed();
  if (allowedPrefix !== undefined && (refusedPrefix ?? refused).startsWith(allowedPrefix)) return wrongRefused();
  return allowedPrefix === undefined && refusedPrefix === undefined && allowed === refused ? wrongAllowed() : [];
}
