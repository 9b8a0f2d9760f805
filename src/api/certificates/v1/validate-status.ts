/** Checks of the status of a request. Values that were invalid before may stay. */

import { X509Certificate } from "node:crypto";
import { parsePem } from "../../../base/pem.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { type Condition, conditionsOf, decisions, type Request } from "./approval.ts";

interface StatusRules {
  /** v1: each type once, and a certificate that is one, and stays. */
  readonly strict: boolean;
  readonly environment: Environment;
  /** Which path is written. */
  readonly path: "approval" | "status";
}

/** Conditions that are either present or absent, and that cannot be removed. */
const onlyTrue: readonly string[] = ["Approved", "Denied", "Failed"];

export function validateStatusOf(next: Request, old: Request, rules: StatusRules): FieldError[] {
  return [
    ...validateConditions(conditionsOf(next), conditionsOf(old), rules),
    ...validateDecisions(next, old, rules),
    ...validateCertificate(next.status?.certificate ?? "", old.status?.certificate ?? "", rules),
  ];
}

function validateConditions(
  next: readonly Condition[],
  old: readonly Condition[],
  { strict, environment }: StatusRules,
): FieldError[] {
  const oldTypes = old.map(({ type }) => type);
  const needsType = strict && !oldTypes.includes("");
  const needsUnique = strict && new Set(oldTypes).size === oldTypes.length;
  const needsOneDecision = !decisions.every((type) => oldTypes.includes(type));
  const seen = new Set<string>();
  return next.flatMap((condition, index) => {
    const path = `status.conditions[${index}]`;
    const errors: FieldError[] = [];
    if (needsType && condition.type === "") errors.push(required(`${path}.type`));
    errors.push(...validateConditionStatus(condition, `${path}.status`));
    const other = condition.type === "Approved" ? "Denied" : condition.type === "Denied" ? "Approved" : undefined;
    if (needsOneDecision && other !== undefined && seen.has(other)) {
      const at = environment.since("1.34") ? "status.conditions" : `${path}.type`;
      errors.push(invalid(at, condition.type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (needsUnique && seen.has(condition.type)) errors.push(duplicate(`${path}.type`, condition.type));
    seen.add(condition.type);
    return errors;
  });
}

function validateConditionStatus({ type, status }: Condition, path: string): FieldError[] {
  const allowed = onlyTrue.includes(type) ? ["True"] : ["True", "False", "Unknown"];
  if (!status) return [required(path)];
  return allowed.includes(status) ? [] : [notSupported(path, status, allowed)];
}

/** A decision is made by the approval path, and is final; so is failure. */
function validateDecisions(next: Request, old: Request, { path }: StatusRules): FieldError[] {
  return onlyTrue.flatMap((type) => {
    const ofType = (request: Request) => conditionsOf(request).filter((condition) => condition.type === type);
    const [now, before] = [ofType(next), ofType(old)];
    if (now.length < before.length) return [forbidden("status.conditions", `${type} conditions may not be removed`)];
    if (path === "approval" || !decisions.includes(type) || sameValue(now, before)) return [];
    return [forbidden("status.conditions", `${type} conditions may only be set via the approval path`)];
  });
}

function validateCertificate(next: string, old: string, { strict, path }: StatusRules): FieldError[] {
  if (next === old) return [];
  const errors: FieldError[] = [];
  const problem = strict && certificateProblem(old) === undefined ? certificateProblem(next) : undefined;
  if (problem !== undefined) errors.push(invalid("status.certificate", "<certificate data>", problem));
  if (path !== "status") errors.push(forbidden("status.certificate", "can only be set via the status path"));
  else if (strict && old !== "") errors.push(forbidden("status.certificate", "the certificate may not be changed"));
  return errors;
}

/** Base64; absent is fine. */
function certificateProblem(encoded: string): string | undefined {
  if (encoded === "") return undefined;
  const blocks = parsePem(Buffer.from(encoded, "base64").toString("latin1"));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const { label, hasHeaders, der } of blocks) {
    if (label !== "CERTIFICATE") return "only CERTIFICATE PEM blocks are allowed";
    if (hasHeaders) return "no PEM block headers are permitted";
    try {
      new X509Certificate(der);
    } catch {
      return "found CERTIFICATE PEM block without a certificate in it";
    }
  }
  return undefined;
}
