/** How conditions and certificates of a request may be written, and by which path. */

import { X509Certificate } from "node:crypto";
import { parsePem } from "../../../base/pem.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { timeText } from "../../../machinery/values/time.ts";
import { sameValue } from "../../same-value.ts";

export interface Condition {
  type: string;
  status?: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}
export interface Request {
  metadata: ObjectMeta;
  spec?: object;
  status?: { conditions?: Condition[]; certificate?: string };
}

const decisions = ["Approved", "Denied"];
/** Conditions that are either there or not. */
const onlyTrue = new Set(["Approved", "Denied", "Failed"]);

/** The approval path writes conditions, never the certificate. */
export function mergeApproval(written: unknown, parent: Request, environment: Environment): Request {
  // The registry has decoded what was written as a request.
  const next = written as Request;
  const { certificate: _certificate, ...status } = next.status ?? {};
  const kept = parent.status?.certificate;
  return stamped(
    { ...next, spec: parent.spec ?? {}, status: kept === undefined ? status : { ...status, certificate: kept } },
    parent,
    environment,
  );
}

/** The status path writes the certificate and all conditions but the decision. */
export function mergeStatus(written: unknown, parent: Request, environment: Environment): Request {
  return stamped({ ...(written as Request), spec: parent.spec ?? {} }, parent, environment);
}

/** v1beta1 ignores what the status path says of the decision. */
export function mergeStatusKeepingDecision(written: unknown, parent: Request, environment: Environment): Request {
  const next = mergeStatus(written, parent, environment);
  const isDecision = ({ type }: Condition) => decisions.includes(type);
  const conditions = [
    ...(parent.status?.conditions ?? []).filter(isDecision),
    ...(next.status?.conditions ?? []).filter((condition) => !isDecision(condition)),
  ];
  return { ...next, status: { ...next.status, conditions } };
}

/** Fills in when conditions changed, where the writer did not say. */
function stamped(next: Request, old: Request, environment: Environment): Request {
  const now = timeText(environment.clock.now());
  const conditions = (next.status?.conditions ?? []).map((condition) => {
    const before = (old.status?.conditions ?? []).find(
      (c) => c.type === condition.type && c.status === condition.status,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    };
  });
  const { conditions: _conditions, ...status } = next.status ?? {};
  return { ...next, status: conditions.length === 0 ? status : { ...status, conditions } };
}

export interface StatusRules {
  /** v1: each type once, and certificates that are certificates. */
  readonly strict: boolean;
  /** Which path is written. */
  readonly path: "approval" | "status";
}

export function validateStatusOf(next: Request, old: Request, rules: StatusRules): FieldError[] {
  return [
    ...validateConditions(next.status?.conditions ?? [], rules.strict),
    ...validateDecisions(next, old, rules),
    ...validateCertificate(next.status?.certificate, old.status?.certificate, rules),
  ];
}

function validateConditions(conditions: readonly Condition[], strict: boolean): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const path = `status.conditions[${index}]`;
    const errors: FieldError[] = [];
    const allowed = onlyTrue.has(condition.type) ? ["True"] : ["True", "False", "Unknown"];
    if (condition.type === "") errors.push(required(`${path}.type`));
    if (!condition.status) errors.push(required(`${path}.status`));
    else if (!allowed.includes(condition.status))
      errors.push(notSupported(`${path}.status`, condition.status, allowed));
    const other = condition.type === "Approved" ? "Denied" : condition.type === "Denied" ? "Approved" : undefined;
    if (other !== undefined && seen.has(other)) {
      errors.push(invalid(`${path}.type`, condition.type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (strict && seen.has(condition.type)) errors.push(duplicate(`${path}.type`, condition.type));
    seen.add(condition.type);
    return errors;
  });
}

/** A decision is made by the approval path, and is final. */
function validateDecisions(next: Request, old: Request, { path }: StatusRules): FieldError[] {
  return decisions.flatMap((type) => {
    const of = (request: Request) => (request.status?.conditions ?? []).filter((condition) => condition.type === type);
    const [now, before] = [of(next), of(old)];
    if (before.length > 0 && now.length === 0)
      return [forbidden("status.conditions", `${type} conditions may not be removed`)];
    if (path === "status" && now.length > before.length) {
      return [forbidden("status.conditions", `${type} conditions may only be set via the approval path`)];
    }
    return [];
  });
}

function validateCertificate(
  next: string | undefined,
  old: string | undefined,
  { strict, path }: StatusRules,
): FieldError[] {
  if (sameValue(next, old)) return [];
  if (path !== "status") return [forbidden("status.certificate", "can only be set via the status path")];
  if (old !== undefined && old !== "")
    return [forbidden("status.certificate", "updates may not modify the certificate")];
  if (!strict || next === undefined) return [];
  const problem = certificateProblem(Buffer.from(next, "base64").toString("latin1"));
  return problem === undefined ? [] : [invalid("status.certificate", "<certificate data>", problem)];
}

function certificateProblem(text: string): string | undefined {
  const blocks = parsePem(text);
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

/** The condition column. */
export function conditionText({ status }: Request): string {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type));
  const words = [types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending"];
  if (types.has("Failed")) words.push("Failed");
  if (status?.certificate) words.push("Issued");
  return words.join(",");
}
