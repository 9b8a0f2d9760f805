/** Checks of the status of a claim: who allocates devices, and who reports about them. */

import { checker } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import {
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  together,
} from "../../../machinery/status/field-error.ts";
import { schedulingRelations } from "../../core/v1/pod/validate-scheduling.ts";
import { AllocationResult, DeviceRequestAllocationResult, deviceKey, ResourceClaimStatus } from "./allocation.ts";
import { requestNamesOf, validateReference } from "./claim-relations.ts";
import type { ResourceClaimSpec } from "./device-claim.ts";
import { bindingRelation, tolerationRelation } from "./gated-relations.ts";

interface ClaimParts {
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}

const checkAllocation = checker(AllocationResult, [
  ...schedulingRelations,
  tolerationRelation,
  bindingRelation(DeviceRequestAllocationResult),
]);
const checkStatus = checker(ResourceClaimStatus);

export function validateClaimStatus(claim: ClaimParts, old: ClaimParts, environment: Environment): FieldErrors {
  const [next, before] = [claim.status ?? {}, old.status ?? {}];
  // What was allocated before is not judged again.
  const { allocation, ...others } = next;
  return together(
    checkStatus(others, "status", environment),
    validateConsumers(claim, next, before),
    validateDevices(next),
    allocation === undefined
      ? noErrors
      : before.allocation === undefined
        ? validateNew(claim.spec ?? {}, allocation, environment)
        : sameValue(allocation, before.allocation, AllocationResult)
          ? noErrors
          : [invalid("status.allocation", allocation, "field is immutable")],
  );
}

function validateNew(spec: ResourceClaimSpec, allocation: AllocationResult, environment: Environment): FieldErrors {
  const names = requestNamesOf(spec.devices ?? { requests: [] });
  const { results, config } = allocation.devices ?? {};
  const path = "status.allocation.devices";
  return together(
    checkAllocation(allocation, "status.allocation", environment),
    ofEach(results, ({ request }, at) => validateReference(request, `${path}.results[${at}].request`, names)),
    ofEach(config, ({ requests }, at) =>
      ofEach(requests, (name, index) => validateReference(name, `${path}.config[${at}].requests[${index}]`, names)),
    ),
  );
}

function validateConsumers(
  { metadata }: ClaimParts,
  next: ResourceClaimStatus,
  before: ResourceClaimStatus,
): FieldErrors {
  const consumers = next.reservedFor ?? [];
  if (consumers.length === 0) return noErrors;
  if (next.allocation === undefined) return [forbidden("status.reservedFor", "nothing is allocated")];
  const known = before.reservedFor ?? [];
  const hasNew = consumers.some((consumer) => !known.some((one) => sameValue(one, consumer)));
  return metadata.deletionTimestamp && hasNew
    ? [forbidden("status.reservedFor", "a claim that is being deleted gets no further consumers")]
    : noErrors;
}

function validateDevices({ allocation, devices }: ResourceClaimStatus): FieldErrors {
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  return ofEach(devices, (device, at) =>
    allocated.has(deviceKey(device))
      ? noErrors
      : [invalid(`status.devices[${at}]`, deviceKey(device), "must be a device that is allocated to the claim")],
  );
}
