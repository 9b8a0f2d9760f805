/** Ranges of user and group ids. */

import type { IDRange } from "../../api/policy/v1beta1/security-policy-spec.ts";
import { type FieldErrors, invalid, noErrors, ofEach } from "../../machinery/status/field-error.ts";

export function isInRanges(id: number, ranges: readonly IDRange[]): boolean {
  return ranges.some(({ min, max }) => id >= min && id <= max);
}

/** A rule on groups. MustRunAs fills in the first id that is allowed, MayRunAs fills in nothing. */
interface GroupRule {
  /** What is filled in; undefined: nothing. */
  readonly fallback: number | undefined;
  validate(groups: readonly number[], path: string): FieldErrors;
}

export function groupRule({ rule, ranges = [] }: { rule?: string; ranges?: readonly IDRange[] }): GroupRule {
  const inRanges = (groups: readonly number[], path: string) =>
    ofEach(groups, (group) =>
      isInRanges(group, ranges) ? noErrors : [invalid(path, group, `must be in the ranges: ${shown(ranges)}`)],
    );
  switch (rule) {
    case "MustRunAs":
      return {
        fallback: ranges[0]?.min,
        validate: (groups, path) =>
          groups.length === 0
            ? [invalid(path, groups, "must have a group of the required ranges")]
            : inRanges(groups, path),
      };
    case "MayRunAs":
      return { fallback: undefined, validate: inRanges };
    default:
      return { fallback: undefined, validate: () => noErrors };
  }
}

export const shown = (ranges: readonly IDRange[]): string => ranges.map(({ min, max }) => `${min}-${max}`).join(", ");
