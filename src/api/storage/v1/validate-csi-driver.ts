/** Checks of storage drivers. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { addTo, duplicate, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { immutable } from "../../validation.ts";

interface DriverLike {
  readonly spec: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly volumeLifecycleModes?: readonly string[];
    readonly storageCapacity?: boolean;
    readonly fsGroupPolicy?: string;
    readonly tokenRequests?: readonly TokenRequestLike[];
  };
}
interface TokenRequestLike {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

const lifecycleModes = ["Persistent", "Ephemeral"];
const groupPolicies = ["ReadWriteOnceWithFSType", "File", "None"];
const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;

export function validateDriver({ spec }: DriverLike, { gates }: Environment): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attachRequired === undefined) errors.push(required("spec.attachedRequired"));
  if (spec.podInfoOnMount === undefined) errors.push(required("spec.podInfoOnMount"));
  if (spec.storageCapacity === undefined && gates.enabled("CSIStorageCapacity"))
    errors.push(required("spec.storageCapacity"));
  if (spec.fsGroupPolicy !== undefined && !groupPolicies.includes(spec.fsGroupPolicy))
    errors.push(notSupported("spec.fsGroupPolicy", spec.fsGroupPolicy, groupPolicies));
  addTo(errors, validateTokenRequests(spec.tokenRequests ?? []));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!lifecycleModes.includes(mode)) errors.push(notSupported("spec.volumeLifecycleModes", mode, lifecycleModes));
  }
  return errors;
}

/** Nodes have already read the other fields; only tokens and republishing may change. */
export function validateDriverUpdate(driver: DriverLike, old: DriverLike, environment: Environment): FieldError[] {
  const [next, before] = [driver.spec, old.spec];
  return [
    ...validateDriver(driver, environment),
    // v1.21 reports this field under another name.
    ...immutable("spec.attachedRequired", next.attachRequired, before.attachRequired),
    ...immutable("spec.fsGroupPolicy", next.fsGroupPolicy, before.fsGroupPolicy),
    ...immutable("spec.podInfoOnMount", next.podInfoOnMount, before.podInfoOnMount),
    ...immutable("spec.volumeLifecycleModes", next.volumeLifecycleModes, before.volumeLifecycleModes),
    ...immutable("spec.storageCapacity", next.storageCapacity, before.storageCapacity),
  ];
}

function validateTokenRequests(requests: readonly TokenRequestLike[]): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const path = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) return [duplicate(`${path}.audience`, audience)];
    audiences.add(audience);
    if (seconds === undefined || (seconds >= tokenSecondsMin && seconds <= tokenSecondsMax)) return [];
    const problem = `must be between ${tokenSecondsMin} and ${tokenSecondsMax} seconds`;
    return [invalid(`${path}.expirationSeconds`, seconds, problem)];
  });
}
