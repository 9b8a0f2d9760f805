/** How conditions and certificates of a request are written, and by which path. */

import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { timeText } from "../../../machinery/values/time.ts";

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

/** What the approval path decides, and no other. */
export const decisions: readonly string[] = ["Approved", "Denied"];

export const conditionsOf = ({ status }: Request): readonly Condition[] => status?.conditions ?? [];

/** The approval path writes conditions, never the certificate. */
export function mergeApproval(written: unknown, parent: Request, environment: Environment): Request {
  // The registry has decoded the body as a request.
  const next = written as Request;
  const { certificate: _certificate, ...status } = next.status ?? {};
  const kept = parent.status?.certificate;
  return stamped(
    { ...next, spec: parent.spec ?? {}, status: kept === undefined ? status : { ...status, certificate: kept } },
    parent,
    environment,
  );
}

/**
 * The status path writes the certificate and all conditions except the approval: a repeated one keeps its stored
 * content.
 */
export function mergeStatus(written: unknown, parent: Request, environment: Environment): Request {
  const next = written as Request; // as above
  const conditions = withOldDecisions(conditionsOf(next), conditionsOf(parent)) ?? conditionsOf(next);
  return stamped(withConditions(next, parent, conditions), parent, environment);
}

/** v1beta1 ignores all conditions if one of them is a decision. */
export function mergeBetaStatus(written: unknown, parent: Request, environment: Environment): Request {
  const next = written as Request; // as above
  const conditions = withOldDecisions(conditionsOf(next), conditionsOf(parent)) ?? conditionsOf(parent);
  return stamped(withConditions(next, parent, conditions), parent, environment);
}

/** Replaces the new decisions with the old ones; undefined: their number differs. */
function withOldDecisions(next: readonly Condition[], old: readonly Condition[]): readonly Condition[] | undefined {
  const ofType = (conditions: readonly Condition[], type: string) => conditions.filter((one) => one.type === type);
  if (decisions.some((type) => ofType(next, type).length !== ofType(old, type).length)) return undefined;
  const left = new Map(decisions.map((type) => [type, ofType(old, type)]));
  return next.map((condition) => left.get(condition.type)?.shift() ?? condition);
}

function withConditions(next: Request, parent: Request, conditions: readonly Condition[]): Request {
  return { ...next, spec: parent.spec ?? {}, status: { ...next.status, conditions: [...conditions] } };
}

/** Fills in when conditions changed, where the writer did not say. */
function stamped(next: Request, old: Request, environment: Environment): Request {
  const now = timeText(environment.clock.now());
  const keyOf = ({ type, status }: Condition) => JSON.stringify([type, status]);
  const transitions = new Map<string, string>();
  for (const condition of conditionsOf(old)) {
    const key = keyOf(condition);
    if (condition.lastTransitionTime && !transitions.has(key)) transitions.set(key, condition.lastTransitionTime);
  }
  const conditions = conditionsOf(next).map((condition) => {
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? transitions.get(keyOf(condition)) ?? now,
    };
  });
  const { conditions: _conditions, ...status } = next.status ?? {};
  return { ...next, status: conditions.length === 0 ? status : { ...status, conditions } };
}

/** The condition column. */
export function conditionText(request: Request): string {
  const types = new Set(conditionsOf(request).map(({ type }) => type));
  const words = [types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending"];
  if (types.has("Failed")) words.push("Failed");
  if (request.status?.certificate) words.push("Issued");
  return words.join(",");
}
