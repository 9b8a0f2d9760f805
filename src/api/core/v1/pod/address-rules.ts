/** Rules of the list of addresses of a pod or of its node. */

import { formatIp } from "../../../../base/ip-address.ts";
import { ipVersion, isIp } from "../../../../machinery/meta/names.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { each, type FieldErrors, ofEach, together } from "../../../../machinery/status/field-error.ts";
import { parseOddIp, takesOddForms } from "../../../address-forms.ts";
import { validateFamilies } from "../../../ip.ts";

export function addressListProblems(
  given: readonly { readonly ip?: string }[],
  path: string,
  environment: Environment,
): FieldErrors {
  const addresses = given.map(({ ip = "" }) => {
    const odd = takesOddForms(environment) ? parseOddIp(ip) : undefined;
    return odd === undefined ? ip : formatIp(odd);
  });
  return together(
    ofEach(addresses, (ip, index) => each(isIp(ip), `${path}[${index}]`, ip)),
    validateFamilies(addresses, ipVersion, path, "may specify no more than one IP for each IP family"),
  );
}
