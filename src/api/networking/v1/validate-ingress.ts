/** Relations between the fields of an ingress. Versions differ in the names of fields in errors, and in what they let pass. */

import { checkedWhen, checker, on, type Relation } from "../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { refuse } from "../../../machinery/schema/relations.ts";
import { type FieldErrors, invalid, noErrors, required } from "../../../machinery/status/field-error.ts";
import { has } from "../../features.ts";
import { HTTPIngressPath, IngressBackend, IngressServiceBackend, IngressSpec } from "./ingress-spec.ts";

const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];

const relations: readonly Relation[] = [
  refuse(IngressBackend, "", "must not have both a resource and a service", ({ resource, service }) =>
    Boolean(resource && service),
  ),
  checkedWhen(IngressBackend, ["resource", "service"], ({ resource, service }) => !(resource && service)),
  refuse(IngressBackend, "", "must have a resource or a service", ({ resource, service }) => !resource && !service),
  on(IngressServiceBackend, ({ port: { name, number } = {} }) => {
    if (name && number) return [invalid("..", "", "must not have both the name and the number of a port")];
    return name || number ? noErrors : [required("..", "must have the name or the number of a port")];
  }),
  on(HTTPIngressPath, ({ path = "", pathType = "" }) => {
    const isPlain = pathType === "Exact" || pathType === "Prefix";
    const problems: string[] = [];
    const mayBeEmpty = pathType === "ImplementationSpecific";
    if ((isPlain || mayBeEmpty) && !path.startsWith("/") && !(mayBeEmpty && path === ""))
      problems.push("must be an absolute path");
    if (isPlain) {
      for (const part of forbiddenParts) if (path.includes(part)) problems.push(`must not contain '${part}'`);
      for (const end of forbiddenEnds) if (path.endsWith(end)) problems.push(`must not end with '${end}'`);
    }
    return problems.map((problem) => invalid("path", path, problem));
  }),
];
const checkSpec = checker(IngressSpec, relations);

type Version = "v1" | "v1beta1";

interface IngressParts {
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
}

export function validateIngress({ metadata, spec }: IngressParts, version: Version, environment: Environment) {
  const errors = validateSpec(spec ?? {}, version, [], environment);
  const annotation = environment.vocabulary.word("orch.io/ingress.class");
  const value = metadata.annotations?.[annotation];
  // Naming one class twice is allowed.
  const isSame = has(environment, "doubledIngressClasses") && value === spec?.ingressClassName;
  if (value === undefined || spec?.ingressClassName === undefined || isSame) return errors;
  return [...errors, invalid(`annotations.${annotation}`, value, "must not be given together with ingressClassName")];
}

/** An ingress may keep values that were valid under earlier rules. */
export function validateIngressUpdate(
  { spec }: IngressParts,
  old: IngressParts,
  version: Version,
  environment: Environment,
): FieldErrors {
  const before = checkSpec(old.spec, "spec", environment).map(({ field }) => lenienceFor(field, old.spec ?? {}));
  return validateSpec(spec ?? {}, version, before, environment);
}

/** `kept`: the rules that the ingress did not meet before. */
function validateSpec(
  spec: IngressSpec,
  version: Version,
  kept: readonly (Lenience | undefined)[],
  environment: Environment,
): FieldErrors {
  const isLax = (field: string): boolean => {
    const lenience = lenienceFor(field, spec);
    return lenience !== undefined && (version === "v1beta1" || kept.includes(lenience));
  };
  const errors = checkSpec(spec, "spec", environment).filter(({ field }) => !isLax(field));
  const own = version === "v1" ? errors : errors.map((error) => ({ ...error, field: inBeta(error.field) }));
  if (spec.rules?.length || spec.defaultBackend) return own;
  return [invalid("spec", [], `must have ${version === "v1" ? "defaultBackend" : "backend"} or rules`), ...own];
}

/** What v1beta1 did not check: the names of secrets, and the paths of wildcard hosts. */
type Lenience = "secrets" | "wildcards";

function lenienceFor(field: string, { rules }: IngressSpec): Lenience | undefined {
  if (/^spec\.tls\[\d+\]\.secretName$/.test(field)) return "secrets";
  const [, at] = /^spec\.rules\[(\d+)\]\.http/.exec(field) ?? [];
  return at !== undefined && rules?.[Number(at)]?.host?.includes("*") ? "wildcards" : undefined;
}

const inBeta = (field: string): string =>
  field
    .replace(/^spec\.defaultBackend/, "spec.backend")
    .replace(/\.service\.name$/, ".serviceName")
    .replace(/\.service\.port\.(name|number)$/, ".servicePort");
