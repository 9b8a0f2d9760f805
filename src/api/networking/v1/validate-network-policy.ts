/** Relations between the fields of network policies: ports, peers and ranges of addresses. */

import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  problemsFoundMax,
  required,
} from "../../../machinery/status/field-error.ts";
import { isSubrange, readRange, takesOddForms } from "../../address-forms.ts";
import { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from "./policy-spec.ts";

export const policyRelations: readonly Relation[] = [
  refuse(
    NetworkPolicyPort,
    "endPort",
    "needs a port that is a number",
    ({ port, endPort }) => endPort !== undefined && typeof port !== "number",
  ),
  refuse(
    NetworkPolicyPort,
    "endPort",
    "must be greater than or equal to `port`",
    ({ port, endPort }) => endPort !== undefined && typeof port === "number" && endPort < port,
  ),
  on(NetworkPolicyPeer, ({ podSelector, namespaceSelector, ipBlock }) => {
    if (!podSelector && !namespaceSelector && !ipBlock) return [required("", "must name a peer")];
    return ipBlock && (podSelector || namespaceSelector)
      ? [forbidden("", "must not name ipBlock together with another peer")]
      : [];
  }),
  on(IPBlock, validateExceptions),
];

/** In v1.21 the first that is not a range ends the check. */
function validateExceptions({ cidr, except = [] }: IPBlock, environment: Environment): FieldErrors {
  const isLate = takesOddForms(environment);
  const read = (text: string) => readRange(text, environment);
  const whole = read(cidr);
  const errors: FieldError[] = [];
  for (const [index, text] of whole === undefined ? [] : except.entries()) {
    if (errors.length >= problemsFoundMax) break;
    const range = read(text);
    if (range === undefined) {
      errors.push(invalid(`except[${index}]`, text, "must be a range of addresses"));
      if (!isLate) return errors;
    } else if (whole && !isSubrange(range, whole)) {
      errors.push(invalid(`except[${index}]`, text, "must be a strict subset of `cidr`"));
    }
  }
  return errors;
}
