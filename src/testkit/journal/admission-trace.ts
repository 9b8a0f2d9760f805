/** Notes what admission does to one request: which plugins, webhooks and policies run, how long, and what each of them changes. */

import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AdmissionRequest, AdmissionTrace, StepOutcome } from "../../registry/contract/admission.ts";
import type { AdmittedStep, FieldChanges, JournalEntry } from "./contract.ts";
import { changedFields } from "./field-changes.ts";
import { redactChanges } from "./redact.ts";

/** How many steps of a request are kept: one that deletes a collection is admitted for each object. */
export const stepsMax = 100;
/** Changes of larger objects are not looked for: an object is compared after each step. */
export const comparedCharsMax = 64 * 1024;

type Step = { -readonly [K in keyof AdmittedStep]: AdmittedStep[K] };

/** The part of an entry that the trace writes. */
export type TracedEntry = { -readonly [K in "changes" | "name"]: JournalEntry[K] } & {
  readonly verb: string;
  readonly admission: AdmittedStep[];
};

/** `confidential`: fields of an object whose values are not kept. */
export function createAdmissionTrace(
  entry: TracedEntry,
  confidential: (object: ApiObject | undefined) => readonly string[],
): AdmissionTrace {
  /** The object as the last step has left it. Undefined: too large, or there is none. */
  let last: { readonly request: AdmissionRequest; readonly text: string | undefined } | undefined;
  const changesOf = (request: AdmissionRequest): FieldChanges | undefined => {
    const before = last?.request === request ? last.text : undefined;
    const after = textOf(request.object);
    last = { request, text: after };
    if (before === undefined || after === undefined || before === after) return undefined;
    const changes = changedFields(parsed(before), parsed(after));
    return changes.fields.length === 0 ? undefined : redactChanges(changes, confidential(request.object));
  };
  return {
    begin(request, { plugin, phase, webhook, policy }) {
      if (entry.admission.length >= stepsMax) return () => {};
      if (phase === "mutate" && last?.request !== request) last = { request, text: textOf(request.object) };
      const step: Step = {
        plugin,
        ...(webhook === undefined ? {} : { webhook }),
        ...(policy === undefined ? {} : { policy }),
        phase,
        round: phase === "mutate" ? request.round : 0,
        durationMs: undefined,
        outcome: undefined,
      };
      entry.admission.push(step);
      const beganMs = performance.now();
      return ({ outcome, message }) => {
        step.durationMs = performance.now() - beganMs;
        step.outcome = outcome;
        if (message !== undefined) step.message = message;
        const changes = phase === "mutate" ? changesOf(request) : undefined;
        if (changes !== undefined) step.changes = changes;
      };
    },
    mutated({ old, object }) {
      const [before, after] = [textOf(old), textOf(object)];
      const isTooLarge = (before === undefined && old !== undefined) || (after === undefined && object !== undefined);
      // The path of a create has no name, and the server may have made one.
      if (entry.verb === "create" && entry.name === "") entry.name = object?.metadata?.name ?? "";
      const changes = changedFields(parsed(before), parsed(after));
      entry.changes = isTooLarge ? undefined : redactChanges(changes, confidential(object ?? old));
    },
  };
}

/** The others are asked within the first. */
export const bothTraces = (first: AdmissionTrace, second: AdmissionTrace): AdmissionTrace => ({
  begin(request, step) {
    const [one, other] = [first.begin(request, step), second.begin(request, step)];
    const end = (outcome: StepOutcome) => {
      one(outcome);
      other(outcome);
    };
    return one.within === undefined ? end : Object.assign(end, { within: one.within });
  },
  mutated(request) {
    first.mutated(request);
    second.mutated(request);
  },
});

function parsed(text: string | undefined): JsonObject | undefined {
  const value = text === undefined ? undefined : decodeStoredText(text);
  return isObject(value) ? value : undefined;
}

function textOf(object: AdmissionRequest["object"]): string | undefined {
  if (object === undefined) return undefined;
  const text = encodeJson(object);
  return text.length <= comparedCharsMax ? text : undefined;
}
