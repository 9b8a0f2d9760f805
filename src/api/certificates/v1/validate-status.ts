/** Checks of the status of a request. Values that were invalid before may stay. */

import { elided, list, pick, string, struct } from "../../../machinery/schema/build.ts";
import { checkedWhen, checker, on } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import {
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  notSupported,
  ofEach,
  together,
} from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import { type Condition, conditionsOf, decisions, type Request } from "./approval.ts";
import { certificateProblem } from "./certificate-problem.ts";
import { CertificateSigningRequestCondition, CertificateSigningRequestStatus } from "./request-spec.ts";

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
    ...validateConditions(next, old, rules),
    ...validateDecisions(next, old, rules),
    ...validateCertificate(next.status?.certificate ?? "", old.status?.certificate ?? "", rules),
  ];
}

const isOnlyTrue = ({ type }: Pick<Condition, "type">): boolean => onlyTrue.includes(type);
const checkStatus = checker<object>(pick(CertificateSigningRequestStatus, ["conditions"]), [
  checkedWhen(CertificateSigningRequestCondition, ["status"], (one) => !one.status || !isOnlyTrue(one)),
  on(CertificateSigningRequestCondition, (one) =>
    isOnlyTrue(one) && one.status && one.status !== "True" ? [notSupported("status", one.status, ["True"])] : noErrors,
  ),
]);
const Typed = struct("", { type: string().required() });
const checkTypes = checker<object>(struct("", { conditions: elided(list(Typed)) }));
const checkUnique = checker<object>(struct("", { conditions: elided(list(struct("", {}))).uniqueBy("type") }));

function validateConditions(next: Request, old: Request, { strict, environment }: StatusRules): FieldErrors {
  const oldTypes = conditionsOf(old).map(({ type }) => type);
  const needsType = strict && !oldTypes.includes("");
  const needsUnique = strict && new Set(oldTypes).size === oldTypes.length;
  const { status } = next;
  return together(
    needsType ? checkTypes(status, "status", environment) : noErrors,
    checkStatus(status, "status", environment),
    decisions.every((type) => oldTypes.includes(type)) ? noErrors : validateOneDecision(next, environment),
    needsUnique ? checkUnique(status, "status", environment) : noErrors,
  );
}

/** Approved and Denied exclude each other: what comes after the other is reported. */
function validateOneDecision(next: Request, environment: Environment): FieldErrors {
  const seen = new Set<string>();
  return ofEach(conditionsOf(next), ({ type }, index) => {
    const isSecond = decisions.includes(type) && decisions.some((other) => other !== type && seen.has(other));
    seen.add(type);
    const at = has(environment, "decisionsOfRequests") ? "status.conditions" : `status.conditions[${index}].type`;
    return isSecond ? [invalid(at, type, "Approved and Denied conditions are mutually exclusive")] : noErrors;
  });
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
