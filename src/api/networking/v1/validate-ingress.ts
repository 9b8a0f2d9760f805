/** Checks of ingresses, with the names that the fields have in the version a client speaks. */

import {
  ipVersion,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isWildcardDns1123Subdomain,
} from "../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../machinery/schema/schema.ts";
import { type FieldError, invalid, notSupported, required } from "../../../machinery/status/field-error.ts";
import type { HTTPIngressPath, IngressBackend, IngressRule, IngressSpec, IngressTLS } from "./ingress-spec.ts";

/** The field names of a version in errors, and which checks it skips. */
interface IngressDialect {
  readonly defaultBackend: string;
  readonly serviceName: string;
  readonly portName: string;
  readonly portNumber: string;
  /** Whether names of secrets and rules of wildcard hosts are not validated, as before v1. */
  readonly lax: boolean;
}

export const v1Dialect: IngressDialect = {
  defaultBackend: "defaultBackend",
  serviceName: "service.name",
  portName: "service.port.name",
  portNumber: "service.port.number",
  lax: false,
};

export const betaDialect: IngressDialect = {
  defaultBackend: "backend",
  serviceName: "serviceName",
  portName: "servicePort",
  portNumber: "servicePort",
  lax: true,
};

interface IngressParts {
  readonly metadata: ObjectMeta;
  readonly spec?: IngressSpec;
}

export function validateIngress({ metadata, spec }: IngressParts, dialect: IngressDialect, environment: Environment) {
  const errors = validateSpec(spec ?? {}, dialect, { secrets: dialect.lax, wildcards: dialect.lax });
  const annotation = environment.vocabulary.word("orch.io/ingress.class");
  const value = metadata.annotations?.[annotation];
  // Naming one class twice is allowed.
  const isSame = environment.since("1.31") && value === spec?.ingressClassName;
  if (value !== undefined && spec?.ingressClassName !== undefined && !isSame) {
    errors.push(invalid(`annotations.${annotation}`, value, "must not be given together with ingressClassName"));
  }
  return errors;
}

/** An ingress may keep values that were valid under earlier rules. */
export function validateIngressUpdate({ spec }: IngressParts, old: IngressParts, dialect: IngressDialect) {
  return validateSpec(spec ?? {}, dialect, {
    secrets: dialect.lax || (old.spec?.tls ?? []).some((tls) => validateSecretName(tls, "").length > 0),
    wildcards:
      dialect.lax ||
      (old.spec?.rules ?? []).some((rule) => isWildcard(rule) && validatePaths(rule, dialect, "").length > 0),
  });
}

interface Allowed {
  readonly secrets: boolean;
  readonly wildcards: boolean;
}

function validateSpec(spec: IngressSpec, dialect: IngressDialect, allowed: Allowed): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && !defaultBackend) {
    errors.push(invalid("spec", rules, `must have ${dialect.defaultBackend} or rules`));
  }
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, dialect, `spec.${dialect.defaultBackend}`));
  errors.push(
    ...rules.flatMap((rule, index) => validateRule(rule, dialect, allowed, `spec.rules[${index}]`)),
    ...tls.flatMap((each, index) => validateTls(each, allowed, `spec.tls[${index}]`)),
  );
  if (ingressClassName === undefined) return errors;
  return [...errors, ...each(isDns1123Subdomain(ingressClassName), "spec.ingressClassName", ingressClassName)];
}

const each = (problems: readonly string[], path: string, value: unknown) =>
  problems.map((problem) => invalid(path, value, problem));

const isWildcard = ({ host }: IngressRule) => (host ?? "").includes("*");

const validateHost = (host: string, path: string) =>
  each(host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host), path, host);

function validateRule(rule: IngressRule, dialect: IngressDialect, allowed: Allowed, path: string): FieldError[] {
  const { host } = rule;
  const errors: FieldError[] = [];
  if (host) {
    const at = `${path}.host`;
    if (ipVersion(host) !== 0) errors.push(invalid(at, host, "must be a DNS name, not an IP address"));
    errors.push(...validateHost(host, at));
  }
  return isWildcard(rule) && allowed.wildcards ? errors : [...errors, ...validatePaths(rule, dialect, path)];
}

function validatePaths({ http }: IngressRule, dialect: IngressDialect, path: string): FieldError[] {
  if (!http) return [];
  const paths = http.paths ?? [];
  if (paths.length === 0) return [required(`${path}.http.paths`)];
  return paths.flatMap((each, index) => validatePath(each, dialect, `${path}.http.paths[${index}]`));
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];

function validatePath({ path = "", pathType, backend }: HTTPIngressPath, dialect: IngressDialect, at: string) {
  if (pathType === undefined) return [required(`${at}.pathType`, "must be given")];
  const errors: FieldError[] = [];
  const isPlain = pathType === "Exact" || pathType === "Prefix";
  if (!pathTypes.includes(pathType)) errors.push(notSupported(`${at}.pathType`, pathType, pathTypes));
  else if (!path.startsWith("/") && (isPlain || path !== "")) {
    errors.push(invalid(`${at}.path`, path, "must be an absolute path"));
  }
  if (isPlain) {
    for (const part of forbiddenParts.filter((part) => path.includes(part))) {
      errors.push(invalid(`${at}.path`, path, `must not contain '${part}'`));
    }
    for (const end of forbiddenEnds.filter((end) => path.endsWith(end))) {
      errors.push(invalid(`${at}.path`, path, `must not end with '${end}'`));
    }
  }
  return [...errors, ...validateBackend(backend, dialect, `${at}.backend`)];
}

function validateBackend({ resource, service }: IngressBackend, dialect: IngressDialect, path: string): FieldError[] {
  if (resource && service) return [invalid(path, "", "must not have both a resource and a service")];
  if (resource) return validateObjectName(resource, `${path}.resource`);
  if (!service) return [invalid(path, "", "must have a resource or a service")];
  const { name, port = {} } = service;
  const at = `${path}.${dialect.serviceName}`;
  const errors = name === "" ? [required(at)] : each(isDns1035Label(name), at, name);
  if (port.name && port.number) errors.push(invalid(path, "", "must not have both the name and the number of a port"));
  else if (port.name) errors.push(...each(isPortName(port.name), `${path}.${dialect.portName}`, port.name));
  else if (port.number) errors.push(...each(isPortNumber(port.number), `${path}.${dialect.portNumber}`, port.number));
  else errors.push(required(path, "must have the name or the number of a port"));
  return errors;
}

/** An object of any kind in the same namespace. */
function validateObjectName(
  { apiGroup, kind, name }: { readonly apiGroup?: string | null; readonly kind: string; readonly name: string },
  path: string,
): FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : each(isDns1123Subdomain(apiGroup), `${path}.apiGroup`, apiGroup)),
    ...(kind === "" ? [required(`${path}.kind`)] : each(isPathSegmentName(kind), `${path}.kind`, kind)),
    ...(name === "" ? [required(`${path}.name`)] : each(isPathSegmentName(name), `${path}.name`, name)),
  ];
}

function validateTls(tls: IngressTLS, allowed: Allowed, path: string): FieldError[] {
  return [
    ...(tls.hosts ?? []).flatMap((host, index) => validateHost(host, `${path}.hosts[${index}]`)),
    ...(allowed.secrets ? [] : validateSecretName(tls, path)),
  ];
}

const validateSecretName = ({ secretName }: IngressTLS, path: string) =>
  secretName ? each(isDns1123Subdomain(secretName), `${path}.secretName`, secretName) : [];
