/** The usage of a service: one service, and the node ports and load balancer of its type. */

import type { Environment } from "../../machinery/schema/environment.ts";
import { quantityOf } from "../../machinery/values/quantity.ts";
import type { Service } from "../core/v1/service.ts";
import { oneOf } from "./amounts.ts";
import type { Meter } from "./meter.ts";

const balancers = "services.loadbalancers";
const nodePorts = "services.nodeports";
const names = new Set(["count/services", "services", balancers, nodePorts]);

export function createServiceMeter({ gates }: Environment): Meter<Service> {
  return {
    // The type of a service can change.
    onUpdate: true,
    counts: (name) => names.has(name),
    usage({ spec }) {
      const usage = new Map([
        ["count/services", oneOf],
        ["services", oneOf],
      ]);
      const ports = spec?.ports ?? [];
      if (spec?.type === "LoadBalancer") {
        const isManual = gates.enabled("ServiceLBNodePortControl") && spec.allocateLoadBalancerNodePorts === false;
        const counted = isManual ? ports.filter(({ nodePort }) => nodePort) : ports;
        usage.set(balancers, oneOf).set(nodePorts, quantityOf(String(counted.length)));
      }
      if (spec?.type === "NodePort") usage.set(nodePorts, quantityOf(String(ports.length)));
      return usage;
    },
  };
}
