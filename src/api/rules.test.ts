import { describe, expect, test } from "vitest";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { fieldCheck } from "../machinery/schema/check-field.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { atLevel } from "../machinery/schema/field-level.ts";
import { gatesWithEffect } from "../machinery/schema/gates.ts";
import { goldenLevels, type Level } from "../machinery/schema/levels.ts";
import type { Immutable, Rule } from "../machinery/schema/rule.ts";
import type { Field, Schema } from "../machinery/schema/schema.ts";
import { type FieldErrors, forbidden, invalid } from "../machinery/status/field-error.ts";
import { StatusError } from "../machinery/status/status.ts";
import { catalog } from "./catalog.ts";
import { bindVersions, create, type Outcome, show, update } from "./life.suite.ts";

/** From the kind to a field: a member of a struct, an item of a list, the value of a map. */
interface Step {
  readonly at: string | 0;
  /** What errors call it. */
  readonly reportedAs: string;
  /** Other members of the struct, without which this one is not checked. */
  readonly beside: object;
}

interface Declared {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly field: Field;
  readonly rule: Rule;
}

/** Where members are checked only beside others. */
const chosen: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "flowcontrol.v1beta1.Subject": {
    user: { kind: "User" },
    group: { kind: "Group" },
    serviceAccount: { kind: "ServiceAccount" },
  },
  "flowcontrol.v1beta1.PriorityLevelConfigurationSpec": { limited: { type: "Limited" } },
  "flowcontrol.v1beta1.LimitResponse": { queuing: { type: "Queue" } },
  "core.v1.ServiceSpec": { externalName: { type: "ExternalName" }, loadBalancerClass: { type: "LoadBalancer" } },
  // Those of init containers are only looked at in sidecars, at later levels.
  "core.v1.Container": Object.fromEntries(
    ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"].map((name) => [name, { restartPolicy: "Always" }]),
  ),
  "core.v1.FCVolumeSource": { lun: { targetWWNs: ["a"] } },
  "core.v1.QuobyteVolumeSource": { tenant: { registry: "a:1" } },
  "networking.v1.IngressClassParametersReference": { namespace: { scope: "Namespace" } },
  "apiextensions.v1beta1.CustomResourceDefinitionVersion": { deprecationWarning: { deprecated: true } },
  "apiextensions.v1beta1.CustomResourceConversion": {
    webhookClientConfig: { strategy: "Webhook" },
    conversionReviewVersions: { strategy: "Webhook" },
  },
  "policy.v1beta1.RunAsGroupStrategyOptions": { ranges: { rule: "MustRunAs" } },
};

const key = "k";

function* rulesOf(
  declared: Field,
  steps: readonly Step[],
  level: Level,
  around: readonly Schema[],
): Generator<Declared> {
  const field = atLevel(level).field(declared);
  if (field === undefined || field.isUnchecked) return;
  const path = steps.map(({ at }) => (at === 0 ? "[]" : at === key ? "{}" : `.${at}`)).join("");
  for (const rule of field.rules) yield { path, steps, field, rule };
  const inside = rulesInside(field.schema, steps, level, around);
  for (const declared of inside) if (!field.isChangeable || declared.rule.rule !== "immutable") yield declared;
}

function* rulesInside(
  schema: Schema,
  steps: readonly Step[],
  level: Level,
  around: readonly Schema[],
): Generator<Declared> {
  if (schema.type === "list" || schema.type === "map") {
    const at = schema.type === "list" ? 0 : key;
    const items = schema.type === "list" ? schema.items : schema.values;
    const ruled = schema.ruled && atLevel(level).field(schema.ruled);
    const step = { at, reportedAs: ruled?.reportedAs ?? `[${at}]`, beside: {} } as const;
    if (schema.ruled) yield* rulesOf(schema.ruled, [...steps, step], level, around);
    else yield* rulesInside(items, [...steps, step], level, around);
  }
  if (schema.type !== "struct" || around.includes(schema)) return;
  for (const [name, field] of schema.fields) {
    const { reportedAs } = atLevel(level).field(field) ?? field;
    const step = { at: name, reportedAs: reportedAs ?? name, beside: chosen[schema.name]?.[name] ?? {} };
    yield* rulesOf(field, [...steps, step], level, [...around, schema]);
  }
}

const texts = ["Bad_!", "", "/", "..", "*", "a b", "-", "x".repeat(70_000), " \n", "101%", "1.5", "10.0.0.1"];
const numbers = [-1, 0, 1_000_000, 65_536];

/** Values of which rules refuse some. `inner`: whether structs in a struct are given too. */
function strange(schema: Schema, inner = true): unknown[] {
  switch (schema.type) {
    case "list":
      return [
        ...strange(schema.items).flatMap((value) => [[value], [value, value]]),
        ["*", "a"],
        ["ReadWriteOncePod", "a"],
        Array(300).fill(strange(schema.items)[0]),
      ];
    case "map":
      return strange(schema.values).flatMap((value) =>
        ["", "a", "Bad !", "orch.io/a"].map((key) => ({ [key]: value })),
      );
    case "struct":
      return [
        {},
        ...[...schema.fields].flatMap(([name, { schema }]) =>
          schema.type === "struct" && !inner ? [] : strange(schema, false).map((value) => ({ [name]: value })),
        ),
      ];
    case "intOrString":
      return [...numbers, ...texts];
    case "int32":
    case "int64":
      return numbers;
    case "bool":
      return [true, false];
    case "quantity":
      return ["-1"];
    case "duration":
      return ["-1s"];
    default:
      return texts;
  }
}

function candidates(field: Field, rule: Rule): unknown[] {
  switch (rule.rule) {
    case "required":
      return [undefined, "", 0, []];
    case "range":
      return [(rule.least ?? 0) - 1, (rule.most ?? 0) + 1];
    case "max":
      return [
        Array(rule.max + 1).fill("a"),
        Array(rule.max + 1).fill({}),
        "a".repeat(rule.max + 1),
        `a.io/${"a".repeat(rule.max)}`,
      ];
    case "unique":
      return rule.key === "" ? [["a", "a"]] : [[{ [rule.key]: "a" }, { [rule.key]: "a" }]];
    default:
      return strange(field.schema);
  }
}

/** What the field's rules have to say about a value, up to this one; none if it is not this one that the value breaks. */
function errorsOf({ field, rule }: Declared, value: unknown, environment: Environment): FieldErrors {
  const at = field.rules.indexOf(rule);
  const [before, all] = [at, at + 1].map((end) => {
    const check = fieldCheck(field.with({ rules: field.rules.slice(0, end) }));
    return check?.(value, environment) ?? [];
  });
  return all !== undefined && all.length > (before?.length ?? 0) ? all : [];
}

function objectWith([step, ...more]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = objectWith(more, value);
  if (step.at === 0) return [inner];
  return { ...step.beside, ...(inner === undefined ? {} : { [step.at]: inner }) };
}

function valueIn(object: unknown, steps: readonly Step[]): unknown {
  return steps.reduce(
    (value: unknown, { at }) => (value as Record<string | number, unknown> | undefined)?.[at],
    object,
  );
}

/** Paths as errors have them: relative to the field, each step goes before it, and "../" leaves one out. */
function reported(steps: readonly Step[], errors: FieldErrors): string[] {
  const join = (name: string, rest: string) =>
    name === "" || rest === "" || /^[.[]/.test(rest) ? name + rest : `${name}.${rest}`;
  const above = (rest: string, { reportedAs }: Step) =>
    rest.startsWith("..") ? rest.slice(3) : join(reportedAs, rest);
  return show(errors.map((error) => ({ ...error, field: steps.reduceRight(above, error.field).replace(/^\./, "") })));
}

/** Undefined: a member does not have the type that it is declared with. */
function written(kind: BoundKind, object: unknown): Outcome | undefined {
  try {
    return create(kind, object);
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return undefined;
    throw error;
  }
}

/** Whether an update cannot change what a create gave. */
function isKept({ steps, field }: Declared, { isOnce = false, text, isInvalid }: Immutable, kind: BoundKind): boolean {
  const problem = text === undefined || isInvalid ? invalid("", "", text ?? "field is immutable") : forbidden("", text);
  const expected = reported(steps, [problem]);
  return strange(field.schema).some((value) => {
    const [given, next] = isOnce ? [value, undefined] : [undefined, value];
    const first = written(kind, objectWith(steps, given));
    const object = objectWith(steps, next);
    if (first === undefined || written(kind, object) === undefined) return false;
    const { problems } = update(kind, object, first);
    return expected.every((problem) => problems.includes(problem));
  });
}

/** Undefined: the rule is in force. */
function problemWith(declared: Declared, kind: BoundKind): string | undefined {
  const { path, steps, field, rule } = declared;
  if (rule.rule === "immutable") return isKept(declared, rule, kind) ? undefined : `${path}: may change`;
  let isTried = false;
  for (const value of candidates(field, rule)) {
    const errors = errorsOf(declared, value, kind.family.environment);
    if (errors.length === 0) continue;
    isTried = true;
    const outcome = written(kind, objectWith(steps, value));
    if (outcome === undefined) continue;
    const { hub, problems } = outcome;
    // The field got a default.
    if (JSON.stringify(valueIn(hub, steps) ?? undefined) !== JSON.stringify(value)) continue;
    const missing = reported(steps, errors).filter((problem) => !problems.includes(problem));
    if (missing.length === 0) return undefined;
    return `${path}: ${rule.rule} is not in force: ${missing.join(", ")}`;
  }
  return isTried ? undefined : `${path}: ${rule.rule} is not broken by any of these values`;
}

for (const level of goldenLevels) {
  describe(`at level ${level}`, () => {
    const gates = Object.fromEntries(gatesWithEffect.map((name) => [name, true]));
    const families = [...bindVersions(catalog, gates, level).catalog.families()];
    const hubs = families.flatMap(({ versions }) => versions.filter(({ declared }) => declared.hub === undefined));
    for (const kind of hubs) {
      const fields = [...kind.declared.schema.fields].filter(([name]) => name !== "metadata" && name !== "status");
      const rules = fields.flatMap(([at, field]) => {
        const { reportedAs = at } = atLevel(level).field(field) ?? field;
        const steps = [{ at, reportedAs, beside: {} }];
        // The spec of a pod has its own checks, in the order of v1.21, and versions of an ingress differ.
        return [
          ...(kind.kind === "Pod" || kind.kind === "Ingress"
            ? rulesInside(field.schema, steps, level, [])
            : rulesOf(field, steps, level, [])),
        ];
      });
      if (rules.length === 0) continue;
      test(`the ${rules.length} rules of ${kind.kind} are in force`, () => {
        expect(rules.flatMap((declared) => problemWith(declared, kind) ?? [])).toEqual([]);
      });
    }
  });
}
