/** Checks of storage drivers. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";

interface DriverLike {
  readonly spec: {
    readonly storageCapacity?: boolean;
    readonly tokenRequests?: readonly TokenRequestLike[];
    readonly serviceAccountTokenInSecrets?: boolean;
  };
}
interface TokenRequestLike {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;

export const validateDriver = ({ spec }: DriverLike, { gates }: Environment): FieldError[] => [
  ...(spec.storageCapacity === undefined && gates.enabled("CSIStorageCapacity")
    ? [required("spec.storageCapacity")]
    : []),
  ...validateTokenRequests(spec.tokenRequests ?? []),
  ...(spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length
    ? [invalid("spec.serviceAccountTokenInSecrets", spec.serviceAccountTokenInSecrets, "needs tokenRequests")]
    : []),
];

/** Only the first request of an audience is checked further. */
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
