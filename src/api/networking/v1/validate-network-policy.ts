/** Relations between the fields of network policies: ports, peers and ranges of addresses. */

import { cidrVersion } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  notSupported,
  ofEach,
  required,
} from "../../../machinery/status/field-error.ts";
import { isSubrange, parseOddRange } from "../../address-forms.ts";
import { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from "./policy-spec.ts";

const policyTypes = ["Egress", "Ingress"];

export const policyRelations: readonly Relation[] = [
  on(NetworkPolicySpec, ({ policyTypes: types = [] }) =>
    // v1.21 does not look at each of too many types.
    types.length > policyTypes.length
      ? [invalid("policyTypes", types, "must not have more than two")]
      : ofEach(types, (type, index) =>
          policyTypes.includes(type) ? [] : [notSupported(`policyTypes[${index}]`, type, policyTypes)],
        ),
  ),
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
