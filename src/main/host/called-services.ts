/** The Services that an object makes the server call: those of webhooks, of conversions and of aggregated groups. */

import type { AnyObject } from "../../client/contract.ts";
import { isObject } from "../../machinery/json/json-value.ts";

/** A part of the object itself: setting its port changes the object. */
export interface CalledService {
  readonly namespace?: string;
  readonly name?: string;
  port?: number;
}

/** In the order in which the object names them. */
export function calledServices(object: AnyObject): CalledService[] {
  const { webhooks, spec } = object as { webhooks?: unknown; spec?: unknown }; // whatever the kind has
  const configs = Array.isArray(webhooks) ? webhooks.map((webhook) => at(webhook, "clientConfig", "service")) : [];
  const others = [at(spec, "conversion", "webhook", "clientConfig", "service"), at(spec, "service")];
  return [...configs, ...others].filter(isObject) as CalledService[]; // by their declarations
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((part: unknown, key) => (isObject(part) ? part[key] : undefined), value);
}
