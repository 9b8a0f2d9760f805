/** Checks of priority levels. */

import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { mandatoryLevels } from "./built-in.ts";
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "./priority-level-spec.ts";
import { validateConditions } from "./validate-flow-schema.ts";

export const queuesMax = 10_000_000;
/** Bits of the hash by which a flow gets its queues. */
export const hashBitsMax = 60;

interface LevelLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

export function validatePriorityLevel({ metadata: { name = "" }, spec = { type: "" }, status }: LevelLike) {
  const errors = validateSpec(name, spec);
  const fixed = mandatoryLevels.get(name);
  if (fixed !== undefined && !sameValue(spec, fixed))
    errors.push(invalid("spec", spec, `the spec of "${name}" is fixed`));
  return [...errors, ...validateConditions(status?.conditions ?? [])];
}

function validateSpec(name: string, spec: PriorityLevelConfigurationSpec): FieldError[] {
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (spec.type === "Exempt"))
    errors.push(invalid("spec.type", spec.type, 'must be Exempt if and only if the name is "exempt"'));
  switch (spec.type) {
    case "Exempt":
      if (spec.limited !== undefined)
        errors.push(forbidden("spec.limited", "must not be given when the type is Exempt"));
      return errors;
    case "Limited":
      if (spec.limited === undefined) return [...errors, required("spec.limited", "must be given for type Limited")];
      return [...errors, ...validateLimited(spec.limited, "spec.limited")];
    default:
      return [...errors, notSupported("spec.type", spec.type, ["Exempt", "Limited"])];
  }
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, path: string): FieldError[] {
  const { assuredConcurrencyShares: shares, limitResponse = { type: "" } } = limited;
  return [
    ...(shares <= 0 ? [invalid(`${path}.assuredConcurrencyShares`, shares, "must be positive")] : []),
    ...validateResponse(limitResponse, `${path}.limitResponse`),
  ];
}

function validateResponse({ type, queuing }: LimitResponse, path: string): FieldError[] {
  switch (type) {
    case "Reject":
      return queuing === undefined ? [] : [forbidden(`${path}.queuing`, "must not be given when the type is Reject")];
    case "Queue":
      return queuing === undefined
        ? [required(`${path}.queuing`, "must be given when the type is Queue")]
        : validateQueuing(queuing, `${path}.queuing`);
    default:
      return [notSupported(`${path}.type`, type, ["Queue", "Reject"])];
  }
}

function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalid(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  if (queues <= 0) errors.push(invalid(`${path}.queues`, queues, "must be positive"));
  else if (queues > queuesMax) errors.push(invalid(`${path}.queues`, queues, `must not be more than ${queuesMax}`));
  if (handSize <= 0) errors.push(invalid(`${path}.handSize`, handSize, "must be positive"));
  else if (handSize > queues) errors.push(invalid(`${path}.handSize`, handSize, "must not be more than queues"));
  else if (Math.ceil(Math.log2(queues) * handSize) > hashBitsMax) {
    const problem = `so many of ${queues} queues need more than the ${hashBitsMax} bits of the hash`;
    errors.push(invalid(`${path}.handSize`, handSize, problem));
  }
  return errors;
}
