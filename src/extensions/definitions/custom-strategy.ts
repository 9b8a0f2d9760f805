/** The strategy of custom resources: what a write may change, what increases the generation, and what makes an object valid. */

import { copyJson, isObject, sameMembers } from "../../machinery/json/json-value.ts";
import { unlessTooLarge } from "../../machinery/json-schema/coerce.ts";
import { foregroundFinalizer, nextGeneration, orphanFinalizer } from "../../machinery/meta/metadata.ts";
import type { Codec } from "../../machinery/schema/codec.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Strategy } from "../../machinery/schema/strategy.ts";
import { forbiddenRequest, methodNotAllowed } from "../../machinery/status/status.ts";
import { objectProblems, type Rules } from "./problems.ts";

interface StrategyOptions extends Rules {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly hasStatusPath: boolean;
  /** The paths that selectors of some version name, "spec.color"; only the stored version has them. */
  readonly selectable: readonly string[];
  /** The paths that are indexed beside those. */
  readonly indexed: readonly string[];
  readonly codec: () => Codec;
}

const identity: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

export function customStrategy(options: StrategyOptions): Strategy<ApiObject> {
  const { namespaced, hasStatusPath, selectable, indexed, codec, version } = options;
  return {
    generation: "literal",
    unconditionalUpdate: false,
    plainFinalizers: true,
    // Cluster-scoped objects have no namespace that could be selected.
    ...(namespaced && selectable.length === 0 ? {} : { selectableFields: readersOf(selectable) }),
    ...(indexed.length === 0 ? {} : { indexedFields: readersOf(indexed) }),
    prepareForCreate({ metadata }, environment) {
      if (!version.isTerminating) return;
      const subject = { group: options.group, kind: options.resource };
      if (!environment.has("refusedWhileTerminating")) throw methodNotAllowed(subject, "create");
      throw forbiddenRequest(subject, metadata.name ?? "", "its definition is being deleted, and all objects with it");
    },
    prepareForUpdate(object, old) {
      // Without a status subresource, the status is a field like any other.
      if (!hasStatusPath && !sameMembers(object, old, identity))
        object.metadata.generation = nextGeneration(old.metadata.generation);
    },
    warnings: ({ metadata }, old, environment) =>
      environment.has("finalizerWarnings") ? finalizerWarnings(metadata.finalizers, old?.metadata.finalizers) : [],
    validateInSteps: (object, old, environment) => objectProblems(options, object, old, environment),
    complete: (object) => {
      // A status that was removed gets its defaults again when it is read.
      if (!hasStatusPath || object["status"] !== undefined) return object;
      if (version.structuralPlan?.defaulted.includes("status") !== true) return object;
      const completed = copyJson(object);
      unlessTooLarge(() => codec().applyDefaults(completed));
      return completed;
    },
  };
}

const finalizersOfServer: ReadonlySet<string> = new Set([orphanFinalizer, foregroundFinalizer]);

/** Two programs that choose the same short name would remove each other's finalizer. */
function finalizerWarnings(given: Finalizers, old: Finalizers): string[] {
  const before = new Set(old ?? []);
  return [...new Set(given ?? [])]
    .filter((name) => !name.includes("/") && !finalizersOfServer.has(name) && !before.has(name))
    .sort()
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
}

type Finalizers = readonly string[] | null | undefined;

/** How the selectable fields of an object are read: numbers and booleans as texts, absent ones as "". */
function readersOf(paths: readonly string[]): NonNullable<Strategy<ApiObject>["selectableFields"]> {
  return Object.fromEntries(
    paths.map((path) => {
      const steps = path.split(".");
      return [path, (object: ApiObject) => textOf(steps.reduce<unknown>(memberOf, object))];
    }),
  );
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const textOf = (value: unknown): string => (typeof value === "object" || value === undefined ? "" : String(value));
