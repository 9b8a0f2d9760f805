/** Checks of the storage a claim asks for. */

import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { validateResourceAmount } from "./validate-resources.ts";

interface Requirements {
  readonly limits?: Record<string, string>;
  readonly requests?: Record<string, string>;
}

export function validateResourceRequirementsOfClaim(
  resources: Requirements | undefined,
  path: string,
  environment: Environment,
): FieldError[] {
  return (["limits", "requests"] as const).flatMap((kind) =>
    Object.entries(resources?.[kind] ?? {}).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `${path}.${kind}[${name}]`, environment),
    ),
  );
}
