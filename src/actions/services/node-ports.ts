/** Ports that every node offers for a service. A number belongs to one service, for all protocols. */

import { needsHealthCheckPort, needsNodePort } from "../../api/core/v1/service/preparation.ts";
import type { ServicePort, ServiceSpec } from "../../api/core/v1/service/spec.ts";
import { TimeSlice } from "../../base/time-slice.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import type { Holding } from "./holding.ts";
import type { Pool } from "./pool.ts";

interface NodePortWrite {
  readonly spec: ServiceSpec;
  readonly before: ServiceSpec | undefined;
  readonly holding: Holding;
  readonly pool: Pool;
}

/** All ports that a service holds. */
export function nodePortsOf(spec: ServiceSpec): string[] {
  const numbers = (spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  return [...new Set([...numbers, spec.healthCheckNodePort ?? 0])].filter((port) => port > 0).map(String);
}

/** Fills in ports in place. */
export async function takeNodePorts(write: NodePortWrite): Promise<readonly FieldError[]> {
  const { spec, before } = write;
  if (needsNodePort(spec)) {
    const errors = before === undefined ? await takeForNew(write) : await takeForChanged(write, before);
    if (errors.length > 0) return errors;
  }
  return takeHealthCheckPort(write);
}

/** Two ports with the same number (for two protocols) get the same node port unless the writer names one. */
async function takeForNew({ spec, holding, pool }: NodePortWrite): Promise<FieldError[]> {
  const { ports = [] } = spec;
  const given = new Map<number, number>();
  /** By the number of the port, the first node port that the writer names. */
  const named = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !named.has(port)) named.set(port, nodePort);
  const slice = new TimeSlice();
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && isLeftToBalancer(spec)) continue;
    if (slice.isLong) await slice.next(); // a store in memory never yields to the event loop
    const shared = given.get(port.port);
    if (shared === undefined) {
      const wanted = named.get(port.port) ?? 0;
      if (wanted !== 0) {
        const errors = await takePort(holding, pool, wanted, index);
        if (errors.length > 0) return errors;
        port.nodePort = wanted;
      } else {
        const found = await anyPort(holding, pool);
        if (found === undefined) return [noneFree(`spec.ports[${index}].nodePort`, pool)];
        port.nodePort = found;
      }
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) {
      const errors = await takePort(holding, pool, port.nodePort, index);
      if (errors.length > 0) return errors;
    }
  }
  return [];
}

async function takeForChanged({ spec, holding, pool }: NodePortWrite, before: ServiceSpec): Promise<FieldError[]> {
  const had = new Set((before.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  const taken = new Set<number>();
  const slice = new TimeSlice();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (slice.isLong) await slice.next();
    if (!port.nodePort) {
      if (isLeftToBalancer(spec)) continue;
      const found = await anyPort(holding, pool);
      if (found === undefined) return [noneFree(`spec.ports[${index}].nodePort`, pool)];
      port.nodePort = found;
      continue;
    }
    if (had.has(port.nodePort) || taken.has(port.nodePort)) continue;
    const errors = await takePort(holding, pool, port.nodePort, index);
    if (errors.length > 0) return errors;
    taken.add(port.nodePort);
  }
  return duplicates(spec.ports ?? []);
}

/** The object has no node ports on request, because its load balancer reaches pods directly. */
const isLeftToBalancer = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === "LoadBalancer" && allocateLoadBalancerNodePorts === false;

function duplicates(ports: readonly ServicePort[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ nodePort, protocol }, index) => {
    const identity = `${protocol}/${nodePort}`;
    const repeated = nodePort && seen.has(identity);
    seen.add(identity);
    return repeated ? [invalid(`spec.ports[${index}].nodePort`, nodePort, "is used twice")] : [];
  });
}

/** The port stays the same while the service needs it. */
async function takeHealthCheckPort({ spec, before, holding, pool }: NodePortWrite): Promise<FieldError[]> {
  if (!needsHealthCheckPort(spec)) return [];
  if (before !== undefined && needsHealthCheckPort(before)) {
    const same = (spec.healthCheckNodePort ?? 0) === (before.healthCheckNodePort ?? 0);
    const problem = "can not be changed while externalTrafficPolicy is Local";
    return same ? [] : [invalid("spec.healthCheckNodePort", spec.healthCheckNodePort, problem)];
  }
  const wanted = spec.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    const found = await anyPort(holding, pool);
    if (found === undefined) return [noneFree("spec.healthCheckNodePort", pool)];
    spec.healthCheckNodePort = found;
    return [];
  }
  return takeNumber(holding, pool, wanted, "spec.healthCheckNodePort");
}

const takePort = (holding: Holding, pool: Pool, port: number, index: number): Promise<FieldError[]> =>
  takeNumber(holding, pool, port, `spec.ports[${index}].nodePort`);

async function takeNumber(holding: Holding, pool: Pool, port: number, path: string): Promise<FieldError[]> {
  switch (await holding.take(pool, String(port))) {
    case "taken":
      return [];
    case "held":
      return [invalid(path, port, "provided port is already allocated")];
    case "outside":
      return [
        invalid(path, port, `provided port is not in the valid range. The range of valid ports is ${pool.range.text}`),
      ];
  }
}

/** Undefined: all are in use. */
async function anyPort(holding: Holding, pool: Pool): Promise<number | undefined> {
  const port = await holding.takeAny(pool);
  return port === undefined ? undefined : Number(port);
}

/** A client can act on it: name no port of the nodes, or delete another service. */
const noneFree = (path: string, pool: Pool): FieldError =>
  invalid(path, 0, `all node ports of the range ${pool.range.text} are in use`);
