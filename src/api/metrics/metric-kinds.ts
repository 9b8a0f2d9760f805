/** The kinds of the metrics API: not in the catalog, because only servers with something to measure have them. */

import type { Kind } from "../../machinery/schema/kind.ts";
import { NodeMetrics } from "./v1beta1/node-metrics.ts";
import { PodMetrics } from "./v1beta1/pod-metrics.ts";

export const metricKinds: readonly Kind[] = [NodeMetrics, PodMetrics];
