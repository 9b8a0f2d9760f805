/** Relations between the fields of a claim's spec. */

import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { DeviceClaim, DeviceConstraint, DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from "./device-claim.ts";
import { selectorRelations } from "./device-selector.ts";

export const claimRelations: readonly Relation[] = [
  ...selectorRelations,
  on(DeviceRequest, validateForm),
  on(ExactDeviceRequest, validateCount),
  on(DeviceSubRequest, validateCount),
  on(DeviceConstraint, (constraint) =>
    constraint.matchAttribute === undefined && constraint.distinctAttribute === undefined
      ? [required("matchAttribute")]
      : noErrors,
  ),
  on(DeviceClaim, validateReferences),
];

function validateForm({ exactly, firstAvailable = [] }: DeviceRequest): FieldErrors {
  const isOneOf = (exactly !== undefined) !== firstAvailable.length > 0;
  if (isOneOf) return noErrors;
  const why = "exactly one of exactly and firstAvailable is required";
  return exactly === undefined ? [required("", why)] : [invalid("", undefined, why)];
}

function validateCount({
  allocationMode,
  count = 0,
}: Pick<ExactDeviceRequest, "allocationMode" | "count">): FieldErrors {
  switch (allocationMode) {
    case "All":
      return count === 0 ? noErrors : [invalid("count", count, "must not be given with allocationMode All")];
    case "ExactCount":
      return count > 0 ? noErrors : [invalid("count", count, "must be greater than 0")];
    default:
      return [notSupported("allocationMode", allocationMode, ["All", "ExactCount"])];
  }
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

/** The names of requests, and of their alternatives as "request/alternative". */
export function requestNamesOf({ requests = [] }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((one) => `${name}/${one.name}`)]),
  );
}

export const validateReference = (name: string, path: string, names: ReadonlySet<string>): FieldErrors =>
  names.has(name) ? noErrors : [invalid(path, name, "must name a request of the claim, or request/alternative")];
