/** Relations between the fields of pod security policies. */

import { checkedWhen, on, type Relation } from "../../../machinery/schema/constraints.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import {
  type FieldErrors,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../machinery/status/field-error.ts";
import {
  IDRange,
  PodSecurityPolicySpec,
  RunAsGroupStrategyOptions,
  RuntimeClassStrategyOptions,
} from "./security-policy-spec.ts";
import { validateSysctlLists } from "./validate-sysctl-lists.ts";

const everything = "*";
const hasRanges = ({ rule }: RunAsGroupStrategyOptions): boolean => rule === "MayRunAs" || rule === "MustRunAs";

export const policyRelations: readonly Relation[] = [
  refuse(IDRange, "min", "must not be greater than max", ({ min, max }) => min > max),
  on(RuntimeClassStrategyOptions, ({ allowedRuntimeClassNames: names, defaultRuntimeClassName: byDefault }) =>
    byDefault === undefined || names?.includes(byDefault) || names?.includes(everything)
      ? noErrors
      : [required("allowedRuntimeClassNames", "must have the default among them")],
  ),
  refuse(
    PodSecurityPolicySpec,
    "defaultAllowPrivilegeEscalation",
    "must not be true where allowPrivilegeEscalation is false",
    (spec) => spec.defaultAllowPrivilegeEscalation === true && spec.allowPrivilegeEscalation === false,
  ),
  // Here ranges go with the rule: none with RunAsAny, some with the others. Without a known rule they are not checked.
  checkedWhen(RunAsGroupStrategyOptions, ["ranges"], hasRanges),
  on(RunAsGroupStrategyOptions, (options) => {
    const { rule, ranges = [] } = options;
    if (rule === "RunAsAny") return ranges.length > 0 ? [invalid("ranges", ranges, "must be empty")] : noErrors;
    return hasRanges(options) && ranges.length === 0
      ? [invalid("ranges", ranges, "must have at least one range")]
      : noErrors;
  }),
  on(PodSecurityPolicySpec, validateCapabilities),
  on(PodSecurityPolicySpec, validateSysctlLists),
];

/** v1.21 names these fields without the spec they are in. */
function validateCapabilities(spec: PodSecurityPolicySpec): FieldErrors {
  const { requiredDropCapabilities: drops = [], allowedCapabilities = [], defaultAddCapabilities = [] } = spec;
  const among = (field: string, list: readonly string[]) => {
    const listed = new Set(list);
    return ofEach(drops, (capability) =>
      listed.has(capability)
        ? [invalid(`../${field}`, capability, "must not be in requiredDropCapabilities as well")]
        : noErrors,
    );
  };
  const problem = "must be empty when a wildcard allows all capabilities";
  return together(
    drops.length > 0 && allowedCapabilities.includes(everything)
      ? [invalid("../requiredDropCapabilities", drops, problem)]
      : noErrors,
    among("defaultAddCapabilities", defaultAddCapabilities),
    among("allowedCapabilities", allowedCapabilities),
  );
}
