/** Relations between the fields of network policies: ports, peers and ranges of addresses. */

import { cidrVersion } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  required,
} from "../../../machinery/status/field-error.ts";
import { isSubrange, parseOddRange } from "../../address-forms.ts";
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

/** The first that is not a range ends the check, as in v1.21. */
function validateExceptions({ cidr, except = [] }: IPBlock): FieldErrors {
  const whole = cidrVersion(cidr) === 0 ? undefined : parseOddRange(cidr);
  const errors: FieldError[] = [];
  for (const [index, text] of whole === undefined ? [] : except.entries()) {
    const range = cidrVersion(text) === 0 ? undefined : parseOddRange(text);
    if (range === undefined) return [...errors, invalid(`except[${index}]`, text, "must be a range of addresses")];
    if (whole && !isSubrange(range, whole))
      errors.push(invalid(`except[${index}]`, text, "must be a strict subset of `cidr`"));
  }
  return errors;
}
