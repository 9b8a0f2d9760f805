/**
 * Selectors that take all pods or none. An empty one takes all in v1 and none in v1beta1, so each version says what the other
 * means with a label that no pod has: it exists nowhere, so `Exists` takes nothing and `DoesNotExist` everything.
 */

import type { Environment } from "../../../machinery/schema/environment.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";

const noteLabel = "pdb.orch.io/deprecated-v1beta1-empty-selector-match";

type Operator = "Exists" | "DoesNotExist";

/** A selector with only the label. */
export const noteSelector = (operator: Operator, { vocabulary }: Environment): LabelSelector => ({
  matchExpressions: [{ key: vocabulary.word(noteLabel), operator }],
});

export function isNote(selector: LabelSelector, operator: Operator, { vocabulary }: Environment): boolean {
  const { matchLabels, matchExpressions = [] } = selector;
  const [only] = matchExpressions;
  if (Object.keys(matchLabels ?? {}).length > 0 || matchExpressions.length !== 1) return false;
  return only?.key === vocabulary.word(noteLabel) && only.operator === operator && (only.values ?? []).length === 0;
}

/** The label is internal: it is removed from selectors with other terms. In place, for a selector of v1. */
export function dropNotes(selector: LabelSelector | undefined, environment: Environment): void {
  if (!selector?.matchExpressions || isNote(selector, "Exists", environment)) return;
  const key = environment.vocabulary.word(noteLabel);
  const others = selector.matchExpressions.filter((expression) => expression.key !== key);
  if (others.length > 0) selector.matchExpressions = others;
  else delete selector.matchExpressions;
}
