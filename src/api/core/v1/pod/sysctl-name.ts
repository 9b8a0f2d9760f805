/** The names of kernel parameters. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { type FieldErrors, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { has } from "../../../features.ts";

export const sysctlCharsMax = 253;

export const isSysctlPart = (part: string): boolean => /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(part);

/** A slash may separate the parts as well: `net/ipv4/conf/eth0.100/forwarding`. */
export function validateSysctlName(name: string, path: string, environment: Environment): FieldErrors {
  const parts = name.split(has(environment, "slashesInSysctls") ? /[./]/ : ".");
  const isValid = name.length <= sysctlCharsMax && parts.every(isSysctlPart);
  return isValid ? noErrors : [invalid(path, name, "must be a sysctl name")];
}
