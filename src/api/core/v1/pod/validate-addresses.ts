/** Checks of the addresses of a pod or of its node. */

import { formatIp } from "../../../../base/ip-address.ts";
import { ipVersion, isIp } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import { duplicate, type FieldError, invalid } from "../../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../../address-forms.ts";
import { repeats } from "../../../validation.ts";

/** At most one of each family. */
export function addressListProblems(
  given: readonly { readonly ip?: string }[],
  path: string,
  environment: Environment,
): FieldError[] {
  const isLate = takesOddForms(environment);
  const addresses = given.map(({ ip = "" }) => {
    const odd = isLate ? parseOddIp(ip) : undefined;
    return odd === undefined ? ip : formatIp(odd);
  });
  const errors = addresses.flatMap((ip, index) => isIp(ip).map((problem) => invalid(`${path}[${index}]`, ip, problem)));
  if (addresses.length < 2) return errors;
  const families = addresses.map(ipVersion);
  if (families.includes(0)) errors.push({ reason: "InternalError", field: path, message: "addresses cannot be read" });
  if (addresses.length > 2 || families.includes(0) || families[0] === families[1]) {
    errors.push(invalid(path, addresses, "may specify no more than one IP for each IP family"));
  }
  for (const index of repeats(addresses)) errors.push(duplicate(`${path}[${index}]`, addresses[index]));
  return errors;
}
