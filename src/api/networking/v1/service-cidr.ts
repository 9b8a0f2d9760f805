/** A ServiceCIDR is a range from which services get their addresses. */

import { formatIp, parseIp } from "../../../base/ip-address.ts";
import { elided, list, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { type FieldErrors, invalid, ofEach } from "../../../machinery/status/field-error.ts";
import { parseOddRange } from "../../address-forms.ts";
import { ageColumn, joined, nameColumn } from "../../columns.ts";
import { Condition } from "../../common-fields.ts";

const rangesMax = 2;

const ServiceCIDRSpec = struct("networking.v1.ServiceCIDRSpec", {
  cidrs: elided(list(string(), { from: { "1.30": { topology: "atomic" } } }))
    .at(1)
    .required("at least one range is required")
    .checked(validateRanges)
    .doc("One range of each IP family, at most; a second one may be added later."),
});

const ServiceCIDRStatus = struct("networking.v1.ServiceCIDRStatus", {
  conditions: elided(
    list(Condition, { topology: "map", keys: ["type"], patchStrategy: "merge", patchMergeKey: "type" }),
  )
    .at(1)
    .doc("Whether services can get addresses of the range."),
});

export const ServiceCIDR = kind({
  group: "networking.orch.io",
  version: "v1",
  since: "1.33",
  kind: "ServiceCIDR",
  resource: "servicecidrs",
  scope: "Cluster",
  doc: "A ServiceCIDR is a range from which services get their addresses.",
  fields: {
    spec: elided(ServiceCIDRSpec).at(2).doc("The desired state of the range, set by its users."),
    status: elided(ServiceCIDRStatus)
      .at(3)
      .doc("The most recently observed state of the range, written by the system."),
  },
  prepareForCreate(range) {
    range.status = {};
  },
  rulesOnUpdate: false,
  validateUpdate: ({ spec }, old) => validateKept(spec?.cidrs ?? [], old.spec?.cidrs ?? []),
  columns: (column) => [nameColumn, column("CIDRs", ({ spec }) => joined(spec?.cidrs)), ageColumn],
  // Since 1.36 a write of the status owns the status alone.
  subresources: [status({ ownsGiven: true, resets: "none", until: "1.36" }), status({ since: "1.36" })],
});
export type ServiceCIDR = Static<typeof ServiceCIDR>;

const familyOf = (range: string) => parseOddRange(range)?.address.version;

/** A range in its canonical form: the first address and the length of the prefix. */
function isCanonical(text: string): boolean {
  const range = parseOddRange(text);
  const [ip = ""] = text.split("/");
  const address = parseIp(ip);
  if (range === undefined || address === undefined || formatIp(address) !== ip) return false;
  const free = BigInt((address.version === 4 ? 32 : 128) - range.prefix);
  return (address.value >> free) << free === address.value && text === `${ip}/${range.prefix}`;
}

function validateRanges(ranges: readonly string[], path: string): FieldErrors {
  if (ranges.length > rangesMax) return [invalid(path, ranges, `must have at most ${rangesMax} ranges`)];
  const errors = ofEach(ranges, (range, index) =>
    isCanonical(range) ? [] : [invalid(`${path}[${index}]`, range, "must be a range in its canonical form")],
  );
  const families = ranges.map(familyOf);
  // A range that does not parse has no family.
  if (families.includes(undefined) || new Set(families).size === families.length) return errors;
  return [...errors, invalid(path, ranges, "must be one range of each IP family")];
}

/** A second family may come, nothing else changes. */
function validateKept(ranges: readonly string[], before: readonly string[]): FieldErrors {
  const isRaised = before.length === 1 && ranges.length === rangesMax;
  if (ranges.length !== before.length && !isRaised) return [invalid("spec.cidrs", ranges, "field is immutable")];
  const changed = ofEach(before, (range, index) =>
    ranges[index] === range ? [] : [invalid(`spec.cidrs[${index}]`, ranges[index], "field is immutable")],
  );
  return isRaised ? [...changed, ...validateRanges(ranges, "spec.cidrs")] : changed;
}
