/** Relations between the fields of a claim's spec. */

import { checkedWhen, on, type Relation } from "../../../machinery/schema/constraints.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import type { Field } from "../../../machinery/schema/schema.ts";
import { type FieldErrors, invalid, noErrors, ofEach, required } from "../../../machinery/status/field-error.ts";
import { DeviceClaim, DeviceConstraint, DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from "./device-claim.ts";
import { tolerationRelation } from "./gated-relations.ts";

export const claimRelations: readonly Relation[] = [
  on(DeviceRequest, validateForm),
  checkedWhen(DeviceRequest, ["exactly", "firstAvailable"], hasOneForm),
  tolerationRelation,
  ...countRelations(ExactDeviceRequest),
  ...countRelations(DeviceSubRequest),
  checkedWhen(DeviceConstraint, ["distinctAttribute"], ({ matchAttribute }) => matchAttribute === undefined),
  on(DeviceConstraint, ({ matchAttribute, distinctAttribute }, { gates }) => {
    if (matchAttribute !== undefined || distinctAttribute !== undefined) return noErrors;
    return gates.enabled("DRAConsumableCapacity")
      ? [required("", "matchAttribute or distinctAttribute must be given")]
      : [required("matchAttribute")];
  }),
  on(DeviceClaim, validateReferences),
];

function hasOneForm({ exactly, firstAvailable = [] }: DeviceRequest): boolean {
  return (exactly !== undefined) !== firstAvailable.length > 0;
}

function validateForm(request: DeviceRequest): FieldErrors {
  if (hasOneForm(request)) return noErrors;
  const { exactly } = request;
  const why = "exactly one of exactly and firstAvailable is required";
  return exactly === undefined ? [required("", why)] : [invalid("", undefined, why)];
}

function countRelations(request: Field<Pick<ExactDeviceRequest, "allocationMode" | "count">>): readonly Relation[] {
  return [
    refuse(
      request,
      "count",
      "must not be given with allocationMode All",
      ({ allocationMode, count = 0 }) => allocationMode === "All" && count !== 0,
    ),
    on(request, ({ allocationMode, count = 0 }) =>
      allocationMode === "ExactCount" && count <= 0 ? [invalid("count", count, "must be greater than 0")] : noErrors,
    ),
  ];
}

/** Constraints and configuration refer to requests of the claim. */
function validateReferences(claim: DeviceClaim): FieldErrors {
  const names = requestNamesOf(claim);
  const check = (list: "constraints" | "config") =>
    ofEach<{ readonly requests?: readonly string[] }>(claim[list], ({ requests }, at) =>
      ofEach(requests, (name, index) => validateReference(name, `${list}[${at}].requests[${index}]`, names)),
    );
  return [...check("constraints"), ...check("config")];
}

/**
 * The names of requests, each with those of its alternatives. They are not joined to texts: of a long name there would be thousands of long
 * texts of one length, which all have the same hash.
 */
type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf({ requests }: DeviceClaim): RequestNames {
  const names = new Map<string, Set<string>>();
  for (const { name, firstAvailable = [] } of requests ?? []) {
    const alternatives = names.get(name) ?? new Set();
    names.set(name, alternatives);
    for (const alternative of firstAvailable) alternatives.add(alternative.name);
  }
  return names;
}

export function validateReference(reference: string, path: string, names: RequestNames): FieldErrors {
  const slash = reference.indexOf("/");
  const isKnown =
    names.has(reference) ||
    (slash >= 0 && names.get(reference.slice(0, slash))?.has(reference.slice(slash + 1)) === true);
  if (isKnown) return noErrors;
  return [invalid(path, reference, "must name a request of the claim, or request/alternative")];
}
