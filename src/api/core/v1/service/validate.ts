/** Checks of services. Whether addresses and ports are free does not depend on the object alone, so it is checked later. */

import { checkedWhen, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { forbid, need } from "../../../../machinery/schema/relations.ts";
import {
  addTo,
  duplicate,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  ofEach,
  required,
  together,
} from "../../../../machinery/status/field-error.ts";
import { readRange } from "../../../address-forms.ts";
import { has } from "../../../features.ts";
import { repetitions } from "../../../validation.ts";
import { hasTrafficFromOutside, isHeadless, needsHealthCheckPort, needsNodePort } from "./preparation.ts";
import { ServiceSpec } from "./spec.ts";
import { validateTopologyAnnotations } from "./topology-annotations.ts";
import { validateAddressChange, validateAddresses } from "./validate-addresses.ts";

interface ServiceLike {
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceSpec;
}

/** The port of node agents; a load balancer must not expose it. */
const nodeAgentPort = 10_250;

const balancedOnly = "may only be used when `type` is 'LoadBalancer'";
const isBalanced = ({ type }: ServiceSpec): boolean => type === "LoadBalancer";
const isSticky = ({ sessionAffinity }: ServiceSpec): boolean => sessionAffinity === "ClientIP";
/** Types whose services have addresses inside the cluster. */
const innerTypes: ReadonlySet<string> = new Set(["ClusterIP", "LoadBalancer", "NodePort"]);

const isElsewhere = ({ type }: ServiceSpec): boolean => type === "ExternalName";
const notElsewhere = "may not be set for ExternalName services";

export const serviceRelations: readonly Relation[] = [
  checkedWhen(ServiceSpec, ["externalName"], isElsewhere),
  need(ServiceSpec, "externalName", "", isElsewhere),
  checkedWhen(ServiceSpec, ["clusterIPs", "ipFamilies", "ipFamilyPolicy"], (spec) => !isElsewhere(spec)),
  checkedWhen(ServiceSpec, ["sessionAffinityConfig"], isSticky),
  checkedWhen(ServiceSpec, ["loadBalancerClass"], isBalanced),
  need(ServiceSpec, "ports", "", (spec) => !isHeadless(spec) && !isElsewhere(spec)),
  forbid(ServiceSpec, "clusterIPs", notElsewhere, isElsewhere),
  forbid(ServiceSpec, "ipFamilies", notElsewhere, isElsewhere),
  forbid(ServiceSpec, "ipFamilyPolicy", notElsewhere, isElsewhere),
  on(
    ServiceSpec,
    (spec) =>
      ofEach(isBalanced(spec) ? spec.ports : [], ({ port }, index) =>
        port === nodeAgentPort
          ? [invalid(`ports[${index}]`, port, "may not be offered outside: node agents use it")]
          : noErrors,
      ),
    { until: "1.30" },
  ),
  on(ServiceSpec, (spec) =>
    needsNodePort(spec) && isHeadless(spec)
      ? [invalid("clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`)]
      : noErrors,
  ),
  on(ServiceSpec, validatePorts),
  forbid(
    ServiceSpec,
    "sessionAffinityConfig",
    "must not be set when session affinity is None",
    ({ sessionAffinity }) => sessionAffinity === "None",
  ),
  need(ServiceSpec, "sessionAffinityConfig", "", isSticky),
  on(ServiceSpec, validateAddresses),
  forbid(
    ServiceSpec,
    "topologyKeys",
    "may not be specified when externalTrafficPolicy is Local",
    ({ externalTrafficPolicy }) => externalTrafficPolicy === "Local",
    { until: "1.22" },
  ),
  forbid(ServiceSpec, "allocateLoadBalancerNodePorts", balancedOnly, (spec) => !isBalanced(spec)),
  need(
    ServiceSpec,
    "allocateLoadBalancerNodePorts",
    "",
    (spec, { gates }) => isBalanced(spec) && gates.enabled("ServiceLBNodePortControl"),
  ),
  forbid(ServiceSpec, "loadBalancerClass", balancedOnly, (spec) => !isBalanced(spec)),
  need(
    ServiceSpec,
    "internalTrafficPolicy",
    "",
    // An unknown type is one error, not two.
    ({ type }, { gates }) => innerTypes.has(type ?? "") && gates.enabled("ServiceInternalTrafficPolicy"),
  ),
];

export const validateService = (service: ServiceLike, environment: Environment): FieldErrors => [
  ...validateTopologyAnnotations(service.metadata, environment),
  ...validateSourceRanges(service, environment),
  ...validateProtocols(service, undefined, environment),
];

export function validateServiceUpdate(service: ServiceLike, old: ServiceLike, environment: Environment): FieldErrors {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  const errors = [
    ...validateAddressChange(spec, before, environment),
    ...validateTopologyAnnotations(service.metadata, environment),
    ...validateSourceRanges(service, environment),
    ...validateProtocols(service, old, environment),
  ];
  const staysBalanced = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (staysBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    errors.push(invalid("spec.loadBalancerClass", spec.loadBalancerClass, "may not change once set"));
  }
  return errors;
}

/** Checked once ports have been given, as their presence depends on it. */
export function validateTrafficCombination(spec: ServiceSpec, environment: Environment): FieldError[] {
  const errors: FieldError[] = [];
  const { externalTrafficPolicy, healthCheckNodePort } = spec;
  if (externalTrafficPolicy && !hasTrafficFromOutside(spec, environment)) {
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

function validatePorts({ ports = [], type }: ServiceSpec): FieldErrors {
  const forbiddenText = "may not be used when `type` is 'ClusterIP'";
  return together(
    ofEach(ports, ({ name, nodePort }, index) => [
      ...(!name && ports.length > 1 ? [required(`ports[${index}].name`)] : []),
      ...(nodePort && type === "ClusterIP" ? [forbidden(`ports[${index}].nodePort`, forbiddenText)] : []),
    ]),
    repetitions(
      ports,
      ({ protocol, nodePort }) => (nodePort ? `${protocol}/${nodePort}` : undefined),
      ({ nodePort }, at) => duplicate(`ports[${at}].nodePort`, nodePort),
    ),
    repetitions(
      ports,
      ({ protocol, port }) => `${protocol}/${port}`,
      (port, at) => duplicate(`ports[${at}]`, port),
    ),
  );
}

/** A service that mixed protocols before may keep doing so. */
function validateProtocols({ spec }: ServiceLike, old: ServiceLike | undefined, { gates }: Environment): FieldError[] {
  if (spec?.type !== "LoadBalancer" || gates.enabled("MixedProtocolLBService")) return [];
  const mixes = ({ ports = [] }: ServiceSpec) => new Set(ports.map(({ protocol }) => protocol)).size > 1;
  if (!mixes(spec) || mixes(old?.spec ?? {})) return [];
  return [invalid("spec.ports", spec.ports, "a load balancer serves one protocol")];
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
  const isWrong = (range: string) => readRange(range.trim(), environment) === undefined;
  const problem = "must be a list of IP ranges such as 10.240.0.0/24";
  if (has(environment, "namedSourceRanges") && ranges.length > 0) {
    addTo(
      errors,
      ofEach(ranges, (range, index) => (isWrong(range) ? [invalid(`${path}[${index}]`, range, problem)] : noErrors)),
    );
  } else if (given.some(isWrong)) errors.push(invalid(path, given, problem));
  return errors;
}
