/** Adds the rules that a kind declares for its fields to the validation of its strategy. */

import type { Steps } from "../../base/time-slice.ts";
import { type FieldErrors, noErrors, together } from "../status/field-error.ts";
import { type Fields, struct } from "./build.ts";
import { checker, type Relation } from "./constraints.ts";
import type { Environment } from "./environment.ts";
import { withoutKept } from "./ratchet.ts";
import type { Strategy } from "./strategy.ts";
import { unchanged } from "./unchanged.ts";

export interface KindRules {
  ofNew(object: object, environment: Environment): FieldErrors;
  /** Those of the object itself, and that what is immutable did not change. */
  ofChanged(object: object, old: object, environment: Environment): FieldErrors;
}

interface RuleOptions {
  readonly relations?: readonly Relation[] | undefined;
  readonly rulesOnUpdate?: boolean | undefined;
}

/** The status is written on its own, so it is checked by the path that writes it. */
export function createRules(fields: Fields, { relations, rulesOnUpdate = true }: RuleOptions): KindRules {
  const { status: _status, ...written } = fields;
  const root = struct("", written);
  const [check, compare, ratchet] = [
    checker<object>(root, relations),
    unchanged<object>(root),
    withoutKept<object>(root),
  ];
  const ofNext = (object: object, old: object, environment: Environment): FieldErrors =>
    ratchet(check(object, "", environment), object, old, "", environment.level);
  return {
    ofNew: (object, environment) => check(object, "", environment),
    ofChanged: (object, old, environment) =>
      together(
        rulesOnUpdate ? ofNext(object, old, environment) : noErrors,
        compare(object, old, "", environment.level),
      ),
  };
}

type Validation<T> = Pick<Strategy<T>, "validate" | "validateUpdate" | "validateInSteps">;

/** Without `rules` unchanged: those of a custom kind are checked by its codec. */
export function withRules<T extends object>(strategy: Strategy<T>, rules: KindRules | undefined): Strategy<T> {
  if (rules === undefined) return strategy;
  const { validate, validateUpdate, validateInSteps } = strategy;
  const added: Validation<T> = {
    validate: (object, environment) =>
      together(rules.ofNew(object, environment), validate?.(object, environment) ?? noErrors),
    validateUpdate: (object, old, environment, emptied) =>
      together(
        rules.ofChanged(object, old, environment),
        validateUpdate?.(object, old, environment, emptied) ?? validate?.(object, environment) ?? noErrors,
      ),
  };
  if (validateInSteps !== undefined) {
    added.validateInSteps = function* (object, old, environment): Steps<FieldErrors> {
      const ofFields = old ? rules.ofChanged(object, old, environment) : rules.ofNew(object, environment);
      return together(ofFields, yield* validateInSteps(object, old, environment));
    };
  }
  return { ...strategy, ...added };
}
