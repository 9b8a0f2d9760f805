/** What must hold for priority levels beyond the rules of their fields. */

import { checker, chosenBy, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { forbid } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { type FieldError, type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { mandatoryLevels } from "./built-in.ts";
import {
  LimitResponse,
  PriorityLevelConfigurationSpec,
  PriorityLevelConfigurationStatus,
  QueuingConfiguration,
} from "./priority-level-spec.ts";

/** Bits of the hash by which a flow gets its queues. */
const hashBitsMax = 60;

export const priorityLevelRelations: readonly Relation[] = [
  chosenBy(PriorityLevelConfigurationSpec, {
    by: "type",
    members: { limited: "Limited" },
    missing: () => "must be given for type Limited",
    surplus: (type) => `must not be given when the type is ${type}`,
  }),
  chosenBy(LimitResponse, {
    by: "type",
    members: { queuing: "Queue" },
    missing: () => "must be given when the type is Queue",
    surplus: (type) => `must not be given when the type is ${type}`,
  }),
  forbid(
    PriorityLevelConfigurationSpec,
    "exempt",
    "must not be given when the type is Limited",
    ({ type }) => type === "Limited",
  ),
  on(QueuingConfiguration, validateHand),
];

interface LevelLike {
  readonly metadata: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}

const checkStatus = checker(PriorityLevelConfigurationStatus);

export function validatePriorityLevel(
  { metadata: { name = "" }, spec = { type: "" }, status }: LevelLike,
  environment: Environment,
) {
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (spec.type === "Exempt"))
    errors.push(invalid("spec.type", spec.type, 'must be Exempt if and only if the name is "exempt"'));
  const fixed = mandatoryLevels.get(name);
  if (fixed !== undefined && !sameValue(withoutShares(spec), fixed))
    errors.push(invalid("spec", spec, `the spec of "${name}" is fixed`));
  return [...errors, ...checkStatus(status, "status", environment)];
}

/** What is set aside for the exempt level may change, and a level that lends nothing says so since 1.26. */
function withoutShares({ exempt: _exempt, limited, ...spec }: PriorityLevelConfigurationSpec): object {
  if (limited === undefined) return spec;
  const { lendablePercent, ...rest } = limited;
  return { ...spec, limited: lendablePercent ? limited : rest };
}

function validateHand({ queues, handSize }: QueuingConfiguration): FieldErrors {
  if (handSize <= 0) return noErrors;
  if (handSize > queues) return [invalid("handSize", handSize, "must not be more than queues")];
  if (Math.ceil(Math.log2(queues) * handSize) <= hashBitsMax) return noErrors;
  const problem = `so many of ${queues} queues need more than the ${hashBitsMax} bits of the hash`;
  return [invalid("handSize", handSize, problem)];
}
