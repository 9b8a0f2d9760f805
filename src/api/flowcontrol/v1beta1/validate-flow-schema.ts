/** Checks of flow schemas. */

import { isDns1123Label, isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import type { FieldError } from "../../../machinery/status/field-error.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import { mandatorySchemas } from "./built-in.ts";
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from "./flow-schema-spec.ts";

export const precedenceMax = 10_000;
const distinguishers = ["ByNamespace", "ByUser"];
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

interface SchemaLike {
  readonly metadata: ObjectMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

export function validateFlowSchema({ metadata: { name = "" }, spec, status }: SchemaLike): FieldError[] {
  const given = spec ?? { priorityLevelConfiguration: { name: "" }, matchingPrecedence: 0 };
  const errors = validateSpec(name, given);
  const fixed = mandatorySchemas.get(name);
  if (fixed !== undefined && !sameValue(given, fixed))
    errors.push(invalid("spec", given, `the spec of "${name}" is fixed`));
  return [...errors, ...validateConditions(status?.conditions ?? [])];
}

function validateSpec(name: string, spec: FlowSchemaSpec): FieldError[] {
  const { matchingPrecedence: precedence, distinguisherMethod, priorityLevelConfiguration: level } = spec;
  const errors: FieldError[] = [];
  if (precedence <= 0 || precedence > precedenceMax)
    errors.push(invalid("spec.matchingPrecedence", precedence, `must be between 1 and ${precedenceMax}`));
  if (precedence === 1 && name !== "exempt")
    errors.push(invalid("spec.matchingPrecedence", precedence, 'only the schema "exempt" may have precedence 1'));
  if (distinguisherMethod !== undefined && !distinguishers.includes(distinguisherMethod.type))
    errors.push(notSupported("spec.distinguisherMethod.type", distinguisherMethod.type, distinguishers));
  if (level.name === "") errors.push(required("spec.priorityLevelConfiguration.name", "must name a priority level"));
  else
    errors.push(
      ...isDns1123Subdomain(level.name).map((problem) =>
        invalid("spec.priorityLevelConfiguration.name", level.name, problem),
      ),
    );
  return [...errors, ...(spec.rules ?? []).flatMap((rule, index) => validateRules(rule, `spec.rules[${index}]`))];
}

function validateRules(rules: PolicyRulesWithSubjects, path: string): FieldError[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rules;
  const errors = (subjects ?? []).flatMap((subject, index) => validateSubject(subject, `${path}.subjects[${index}]`));
  if ((subjects ?? []).length === 0) errors.push(required(`${path}.subjects`, "must have at least one"));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, "must have resourceRules or nonResourceRules"));
  return [
    ...errors,
    ...resourceRules.flatMap((rule, index) => validateResourceRule(rule, `${path}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((rule, index) => validateNonResourceRule(rule, `${path}.nonResourceRules[${index}]`)),
  ];
}

/** The member of a subject that each kind of subject has. */
const memberOf = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function validateSubject(subject: Subject, path: string): FieldError[] {
  if (!Object.hasOwn(memberOf, subject.kind))
    return [notSupported(`${path}.kind`, subject.kind, Object.keys(memberOf).sort())];
  const own = memberOf[subject.kind as keyof typeof memberOf]; // one of its keys
  const errors: FieldError[] = [];
  if (subject[own] === undefined) errors.push(required(`${path}.${own}`, `must be given for kind ${subject.kind}`));
  else if (own === "serviceAccount")
    errors.push(...validateAccount(subject.serviceAccount ?? { name: "", namespace: "" }, `${path}.${own}`));
  else if (subject[own]?.name === "") errors.push(required(`${path}.${own}.name`));
  for (const [kind, member] of Object.entries(memberOf)) {
    if (member !== own && subject[member] !== undefined)
      errors.push(forbidden(`${path}.${member}`, `must not be given unless the kind is ${kind}`));
  }
  return errors;
}

function validateAccount({ name, namespace }: ServiceAccountSubject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${path}.name`));
  else if (name !== "*")
    errors.push(...isDns1123Subdomain(name).map((problem) => invalid(`${path}.name`, name, problem)));
  if (namespace === "") errors.push(required(`${path}.namespace`));
  else errors.push(...isDns1123Label(namespace).map((problem) => invalid(`${path}.namespace`, namespace, problem)));
  return errors;
}

function validateResourceRule(rule: ResourcePolicyRule, path: string): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  const errors = [
    ...validateVerbs(rule.verbs ?? [], `${path}.verbs`),
    ...validateStars(rule.apiGroups ?? [], `${path}.apiGroups`),
    ...validateStars(rule.resources ?? [], `${path}.resources`),
  ];
  if (namespaces.length === 0) {
    if (rule.clusterScope !== true)
      errors.push(required(`${path}.namespaces`, "must have at least one unless clusterScope is true"));
    return errors;
  }
  if (namespaces.includes("*")) return [...errors, ...validateStars(namespaces, `${path}.namespaces`)];
  return [
    ...errors,
    ...namespaces.flatMap((namespace, index) =>
      isDns1123Label(namespace).map((problem) => invalid(`${path}.namespaces[${index}]`, namespace, problem)),
    ),
  ];
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: string): FieldError[] {
  const urls = rule.nonResourceURLs ?? [];
  const errors = [
    ...validateVerbs(rule.verbs ?? [], `${path}.verbs`),
    ...validateStars(urls, `${path}.nonResourceURLs`),
  ];
  if (urls.includes("*")) return errors;
  return [...errors, ...urls.flatMap((url, index) => validateUrl(url, `${path}.nonResourceURLs[${index}]`))];
}

function validateVerbs(given: readonly string[], path: string): FieldError[] {
  const unknown = given.find((verb) => !verbs.includes(verb));
  if (given.length === 0 || given.includes("*")) return validateStars(given, path);
  return unknown === undefined ? [] : [notSupported(path, unknown, verbs)];
}

/** At least one, and nothing beside a star. */
function validateStars(values: readonly string[], path: string): FieldError[] {
  if (values.length === 0) return [required(path, "must have at least one")];
  return values.length > 1 && values.includes("*")
    ? [invalid(path, values, "if '*' is there, it must be the only one")]
    : [];
}

/** "/healthz", "/metrics/*": a star only as the last step. */
function validateUrl(url: string, path: string): FieldError[] {
  const problem = urlProblem(url);
  return problem === undefined ? [] : [invalid(path, url, problem)];
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (!url.startsWith("/")) return "must begin with a slash";
  if (url.includes(" ")) return "must not contain white space";
  if (url.includes("//")) return "must not contain two slashes in a row";
  const star = url.indexOf("*");
  return star >= 0 && (star !== url.length - 1 || !url.endsWith("/*")) ? "a '*' must be the last step" : undefined;
}

export function validateConditions(conditions: readonly { readonly type?: string }[]): FieldError[] {
  const types = new Set<string>();
  return conditions.flatMap(({ type = "" }, index) => {
    const path = `status.conditions[${index}].type`;
    const errors = types.has(type) ? [duplicate(path, type)] : [];
    types.add(type);
    return type === "" ? [...errors, required(path)] : errors;
  });
}
