/** Checks of services. Whether addresses and ports are free does not depend on the object alone, so it is checked later. */

import { isCidr, isDns1123Subdomain, isQualifiedName } from "../../../../machinery/meta/names.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  duplicate,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  ofEach,
  required,
} from "../../../../machinery/status/field-error.ts";
import { parseOddRange, takesOddForms } from "../../../address-forms.ts";
import { isHeadless, needsHealthCheckPort, needsNodePort } from "./preparation.ts";
import { anyTopology, type ServiceSpec } from "./spec.ts";
import { validateAddressChange, validateAddresses } from "./validate-addresses.ts";

interface ServiceLike {
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceSpec;
}

const affinitySecondsMax = 86_400;
/** The port of node agents; a load balancer must not expose it. */
const nodeAgentPort = 10_250;

export function validateService(service: ServiceLike, environment: Environment): FieldError[] {
  return [...validateAnyService(service, environment), ...validateProtocols(service, undefined, environment)];
}

function validateAnyService(service: ServiceLike, environment: Environment): FieldError[] {
  const spec = service.spec ?? {};
  return [
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateAffinity(spec),
    ...validateAddresses(spec),
    ...validateTopologyKeys(spec),
    ...validateSourceRanges(service, environment),
    ...validateLoadBalancer(spec, environment),
    ...validateTrafficPolicies(spec, environment),
  ];
}

export function validateServiceUpdate(service: ServiceLike, old: ServiceLike, environment: Environment): FieldError[] {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  const errors = [
    ...validateAddressChange(spec, before),
    ...validateAnyService(service, environment),
    ...validateProtocols(service, old, environment),
  ];
  const staysBalanced = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (staysBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    errors.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"));
  }
  return errors;
}

/** Checked once ports have been given, as their presence depends on it. */
export function validateTrafficCombination(spec: ServiceSpec, { since }: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const { type, externalTrafficPolicy, healthCheckNodePort } = spec;
  const isOutside = type === "ClusterIP" && Boolean(spec.externalIPs?.length) && since("1.22");
  if (externalTrafficPolicy && type !== "LoadBalancer" && type !== "NodePort" && !isOutside) {
    errors.push(
      invalid("spec.externalTrafficPolicy", externalTrafficPolicy, "is only for NodePort and LoadBalancer services"),
    );
  }
  if (healthCheckNodePort && !needsHealthCheckPort(spec)) {
    errors.push(
      invalid("spec.healthCheckNodePort", healthCheckNodePort, "is only for LoadBalancer services with policy Local"),
    );
  }
  return errors;
}

function validateType(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", ports = [] } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") errors.push(required("spec.ports"));
  if (type === "ExternalName") return [...errors, ...validateExternalName(spec)];
  if (type === "LoadBalancer") {
    ports.forEach(({ port }, index) => {
      if (port !== nodeAgentPort) return;
      errors.push(invalid(`spec.ports[${index}]`, port, "may not be offered outside: node agents use it"));
    });
  }
  if (needsNodePort(spec) && isHeadless(spec)) {
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  }
  return errors;
}

function validateExternalName(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (field: string, given: boolean) => {
    if (given) errors.push(forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  };
  refuse("clusterIPs", Boolean(spec.clusterIPs?.length));
  refuse("ipFamilies", Boolean(spec.ipFamilies?.length));
  refuse("ipFamilyPolicy", spec.ipFamilyPolicy !== undefined);
  // A dot at the end says that the name is complete.
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...isDns1123Subdomain(name).map((problem) => invalid("spec.externalName", name, problem))];
}

function validatePorts({ ports = [], type }: ServiceSpec): FieldErrors {
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  return ofEach(ports, (port, index) => {
    const path = `spec.ports[${index}]`;
    const problems: FieldError[] = !port.name && ports.length > 1 ? [required(`${path}.name`)] : [];
    const repeated = (seen: Set<string>, identity: string) => seen.has(identity) || !seen.add(identity);
    if (port.name && repeated(names, port.name)) problems.push(duplicate(`${path}.name`, port.name));
    if (port.nodePort) {
      if (type === "ClusterIP") {
        problems.push(forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
      if (repeated(nodePorts, `${port.protocol}/${port.nodePort}`)) {
        problems.push(duplicate(`${path}.nodePort`, port.nodePort));
      }
    }
    if (repeated(numbers, `${port.protocol}/${port.port}`)) problems.push(duplicate(path, port));
    return problems;
  });
}

/** A service that mixed protocols before may keep doing so. */
function validateProtocols({ spec }: ServiceLike, old: ServiceLike | undefined, { gates }: Environment): FieldError[] {
  if (spec?.type !== "LoadBalancer" || gates.enabled("MixedProtocolLBService")) return [];
  const mixes = ({ ports = [] }: ServiceSpec) => new Set(ports.map(({ protocol }) => protocol)).size > 1;
  if (!mixes(spec) || mixes(old?.spec ?? {})) return [];
  return [invalid("spec.ports", spec.ports, "a load balancer serves one protocol")];
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const { sessionAffinity: affinity = "", sessionAffinityConfig: config } = spec;
  const path = "spec.sessionAffinityConfig";
  if (affinity === "None") {
    return config === undefined ? [] : [forbidden(path, "must not be set when session affinity is None")];
  }
  if (affinity !== "ClientIP") return [];
  if (config === undefined) return [required(path)];
  const seconds = config.clientIP?.timeoutSeconds;
  if (seconds === undefined) return [required(`${path}.clientIP.timeoutSeconds`)];
  if (seconds > 0 && seconds <= affinitySecondsMax) return [];
  const problem = `must be greater than 0 and at most ${affinitySecondsMax}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, problem)];
}

/** `*` matches any topology, so nothing can come after it. */
function validateTopologyKeys({ topologyKeys: keys = [], externalTrafficPolicy }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (keys.length > 0 && externalTrafficPolicy === "Local") {
    errors.push(forbidden("spec.topologyKeys", "may not be specified when externalTrafficPolicy is Local"));
  }
  keys.slice(0, -1).forEach((key, index) => {
    if (key === anyTopology) errors.push(invalid(`spec.topologyKeys[${index}]`, key, "must be the last value"));
  });
  return errors;
}

/** The field counts; without it an annotation from before there was one. */
function validateSourceRanges({ metadata, spec = {} }: ServiceLike, environment: Environment): FieldError[] {
  const { vocabulary } = environment;
  const key = vocabulary.word("service.beta.orch.io/load-balancer-source-ranges");
  const annotation = metadata.annotations?.[key];
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length === 0 && annotation === undefined) return [];
  const path = ranges.length > 0 ? "spec.LoadBalancerSourceRanges" : `metadata.annotations[${key}]`;
  const given = ranges.length > 0 ? ranges : (annotation ?? "").trim() === "" ? [] : (annotation ?? "").split(",");
  const errors: FieldError[] = [];
  if (spec.type !== "LoadBalancer") errors.push(forbidden(path, "may only be used when `type` is 'LoadBalancer'"));
  const isLate = takesOddForms(environment);
  const isWrong = (range: string) =>
    isLate ? parseOddRange(range.trim()) === undefined : isCidr(range.trim()).length > 0;
  const problem = "must be a list of IP ranges such as 10.240.0.0/24";
  if (isLate && ranges.length > 0) {
    ranges.forEach((range, index) => {
      if (isWrong(range)) errors.push(invalid(`${path}[${index}]`, range, problem));
    });
  } else if (given.some(isWrong)) errors.push(invalid(path, given, problem));
  return errors;
}

function validateLoadBalancer(spec: ServiceSpec, { gates }: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const { allocateLoadBalancerNodePorts: allocate, loadBalancerClass } = spec;
  const isBalanced = spec.type === "LoadBalancer";
  const path = "spec.allocateLoadBalancerNodePorts";
  if (allocate !== undefined && !isBalanced) {
    errors.push(forbidden(path, "may only be used when `type` is 'LoadBalancer'"));
  }
  if (allocate === undefined && isBalanced && gates.enabled("ServiceLBNodePortControl")) errors.push(required(path));
  if (loadBalancerClass === undefined) return errors;
  if (!isBalanced) {
    return [...errors, forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'")];
  }
  const problems = isQualifiedName(loadBalancerClass);
  return [...errors, ...problems.map((problem) => invalid("spec.loadBalancerClass", loadBalancerClass, problem))];
}

const validateTrafficPolicies = ({ internalTrafficPolicy, type }: ServiceSpec, { gates }: Environment): FieldError[] =>
  internalTrafficPolicy === undefined && type !== "ExternalName" && gates.enabled("ServiceInternalTrafficPolicy")
    ? [required("spec.internalTrafficPolicy")]
    : [];
