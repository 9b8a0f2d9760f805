/** The annotations in which older versions of an autoscaler carry what they have no fields for. */

import type { Steps } from "../../../base/time-slice.ts";
import { decodeJson, encodeJson } from "../../../machinery/json/json.ts";
import { isObject, setOwn } from "../../../machinery/json/json-value.ts";
import { isSmall } from "../../../machinery/json/parts.ts";
import { list, type Static, struct } from "../../../machinery/schema/build.ts";
import { decodeObject } from "../../../machinery/schema/decode.ts";
import { decodeFinalSteps } from "../../../machinery/schema/decode-steps.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Field, StructSchema } from "../../../machinery/schema/schema.ts";
import { StatusError } from "../../../machinery/status/status.ts";
import { has } from "../../features.ts";
import { HorizontalPodAutoscalerBehavior, type HPAScalingRules } from "../v2beta2/behavior.ts";

export const metricsAnnotation = "autoscaling.alpha.orch.io/metrics";
export const currentMetricsAnnotation = "autoscaling.alpha.orch.io/current-metrics";
export const conditionsAnnotation = "autoscaling.alpha.orch.io/conditions";
export const behaviorAnnotation = "autoscaling.alpha.orch.io/behavior";
export const carriedAnnotations = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
];

/** A copy with `carried` as the only annotations of this kind. */
export function withCarried(
  metadata: ObjectMeta,
  { vocabulary }: Environment,
  carried: ReadonlyMap<string, string>,
): ObjectMeta {
  const { annotations, ...rest } = metadata;
  const dropped = carriedAnnotations.map((name) => vocabulary.word(name));
  const kept = Object.entries(annotations ?? {}).filter(([name]) => !dropped.includes(name));
  const added = [...carried].map(([name, text]) => [vocabulary.word(name), text] as const);
  if (kept.length + added.length === 0) return rest;
  return { ...rest, annotations: Object.fromEntries([...kept, ...added]) };
}

export const withoutCarried = (metadata: ObjectMeta, environment: Environment): ObjectMeta =>
  withCarried(metadata, environment, new Map());

/** Drops them in place, for a version that has a field for everything. */
export function dropCarried(metadata: ObjectMeta, { vocabulary }: Environment): void {
  if (!metadata.annotations) return;
  for (const name of carriedAnnotations) delete metadata.annotations[vocabulary.word(name)];
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
}

/** A list that an annotation carries. */
interface CarriedList<T> {
  /** Undefined: it is absent or unreadable. */
  read(metadata: ObjectMeta, environment: Environment): Steps<readonly T[] | undefined>;
  /** Gives equal bytes for equal lists, whichever version they came from: members in the order of their declaration. */
  write(values: readonly T[]): Steps<string>;
}

export function carriedList<T>(annotation: string, items: Field<T>): CarriedList<T> {
  const holder = struct("autoscaling.v1.Carried", {
    items: list(items).doc("The values that this version cannot show."),
  });
  return {
    *read({ annotations }, { vocabulary }) {
      const value = readJson(annotations?.[vocabulary.word(annotation)], (items) => ({ items }));
      if (value === undefined) return undefined;
      yield;
      // Decoding at once says what is wrong.
      const large = isSmall(value.items) ? undefined : yield* decodeFinalSteps(holder.schema as StructSchema, value);
      const read = (large?.value ?? unlessWrong(() => decode(holder, value))) as Static<typeof holder> | undefined;
      return read && (read.items ?? []);
    },
    *write(values) {
      const parts: string[] = [];
      for (let at = 0; at < values.length; at += itemsPerStep) {
        if (at > 0) yield;
        const { items: some } = decode(holder, { items: values.slice(at, at + itemsPerStep) });
        parts.push(print(some).slice(1, -1));
      }
      return `[${parts.join(",")}]`;
    },
  };
}

/** How many items of a list are written in one step. */
const itemsPerStep = 200;

/** Members of behavior have their Go names here, which differ from the JSON names. */
const behaviorNames: ReadonlyMap<string, string> = new Map(
  [
    "scaleUp",
    "scaleDown",
    "stabilizationWindowSeconds",
    "selectPolicy",
    "policies",
    "type",
    "value",
    "periodSeconds",
    "tolerance",
  ].map((name) => [name.toLowerCase(), name]),
);

export function readBehavior(
  { annotations }: ObjectMeta,
  { vocabulary }: Environment,
): HorizontalPodAutoscalerBehavior | undefined {
  const behavior = readJson(annotations?.[vocabulary.word(behaviorAnnotation)], (value) =>
    decode(HorizontalPodAutoscalerBehavior, renamed(value)),
  );
  return behavior?.scaleUp || behavior?.scaleDown ? behavior : undefined;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    setOwn(result, behaviorNames.get(key.toLowerCase()) ?? key, renamed(member));
  }
  return result;
}

export function writeBehavior(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  environment: Environment,
): string {
  const hasTolerance = has(environment, "carriedTolerances");
  return print({ ScaleUp: writeRules(scaleUp, hasTolerance), ScaleDown: writeRules(scaleDown, hasTolerance) });
}

const writeRules = (rules: HPAScalingRules | undefined, hasTolerance: boolean) =>
  rules
    ? {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({
            Type: type,
            Value: value,
            PeriodSeconds: periodSeconds,
          })) ?? null,
        ...(hasTolerance ? { Tolerance: rules.tolerance ?? null } : {}),
      }
    : null;

/** An unreadable value counts as absent, because users can write it. */
function readJson<T>(text: string | undefined, read: (value: unknown) => T): T | undefined {
  return text === undefined ? undefined : unlessWrong(() => read(decodeJson(Buffer.from(text))));
}

function unlessWrong<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

// A field made by struct() has a struct's schema, and decoding gives what the schema describes.
const decode = <F extends Field>(field: F, value: unknown) =>
  decodeObject(field.schema as StructSchema, value) as Static<F>;

/** v1.21 escapes three characters for HTML, which is visible in annotations. */
const print = (value: unknown): string =>
  encodeJson(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
