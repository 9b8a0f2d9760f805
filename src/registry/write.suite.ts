/** Runs the steps of a create or an update without a store: for tests of the life of kinds. */

import { finish } from "../base/time-slice.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { FieldErrors } from "../machinery/status/field-error.ts";
import { admitAll } from "./contract/admission.ts";
import type { UpdateOptions } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import {
  Creation,
  beforeAdmission as creationArrives,
  prepare as prepareNew,
  problemsOf as problemsOfNew,
} from "./create-steps.ts";
import { runSteps, type WriteStep } from "./run-steps.ts";
import { problemsOf } from "./update-problems.ts";
import { prepare, Update, beforeAdmission as updateArrives } from "./update-steps.ts";
import { complete, type Write, type WriteServices, warnOfObject } from "./write-steps.ts";

/** The result of a write, even if there are validation errors. */
export interface Lived {
  /** The object of the hub version, as it would be stored. */
  readonly hub: ApiObject;
  readonly problems: FieldErrors;
  /** Sentences of the Warning header; none while there are problems. */
  readonly warnings: readonly string[];
}

/** `object` is decoded, in the version of `kind`, and the steps change it in place. */
export function liveCreate(kind: BoundKind, object: ApiObject): Lived {
  const write = new Creation(servicesOf(kind), kind, object, refOf(object), contextOf());
  return live(write, [...creationArrives, prepareNew], problemsOfNew);
}

/** `given` takes the place of `old`, which is of the hub version. */
export function liveUpdate(kind: BoundKind, given: ApiObject, old: ApiObject, options: UpdateOptions = {}): Lived {
  const hub = deepFreeze(old);
  const current = {
    hub,
    requested: deepFreeze(kind.fromHub(hub)),
    spec: undefined,
    revision: 1n,
    isStale: false,
  };
  const updating = { kind, ref: refOf(given), change: () => given, context: contextOf(), options };
  const subresource = kind.subresources.get(options.subresource ?? "");
  const more = { subresource, accepted: undefined, hold: undefined };
  // biome-ignore lint/correctness/useYield: it takes one step
  const read = function* () {
    return current;
  };
  const write = new Update(servicesOf(kind), { ...updating, ...more }, 0, read);
  return live(write, [...updateArrives, prepare], problemsOf);
}

function live<W extends Write>(
  write: W,
  steps: readonly WriteStep<W>[],
  problemsOf: (write: W) => ReturnType<typeof problemsOfNew>,
): Lived {
  if (runSteps(steps, write) !== undefined) throw new Error("nothing is waited for here");
  const problems = finish(problemsOf(write));
  const warnings: string[] = [];
  if (problems.length === 0)
    warnOfObject({ ...write, context: { ...write.context, warn: (text) => warnings.push(text) } });
  complete(write);
  return { hub: write.completed ?? write.object, problems, warnings };
}

const servicesOf = ({ family }: BoundKind): WriteServices => ({
  admission: admitAll,
  ownership: undefined,
  allocators: new Map(),
  clock: family.environment.clock,
});

const refOf = ({ metadata }: ApiObject) => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

const contextOf = (): WriteContext => ({
  user: { name: "tester", uid: "", groups: [], extra: new Map() },
  dryRun: false,
  fieldManager: "",
  warn() {},
});
