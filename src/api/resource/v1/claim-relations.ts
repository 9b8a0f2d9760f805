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

/** The names of requests, and of their alternatives as "request/alternative". */
export function requestNamesOf({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((one) => `${name}/${one.name}`),
    ]),
  );
}

export const validateReference = (name: string, path: string, names: ReadonlySet<string>): FieldErrors =>
  names.has(name) ? noErrors : [invalid(path, name, "must name a request of the claim, or request/alternative")];
