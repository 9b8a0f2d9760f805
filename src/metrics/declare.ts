/** How a metric is declared: what clients see of it, how stable it is, and since when it is deprecated. */

import type { MetricDeclaration } from "../base/metrics.ts";

type Stability = "ALPHA" | "STABLE";

/** Every metric has a stability level. */
export interface DeclaredMetric extends MetricDeclaration {
  readonly stability: Stability;
}

interface More {
  /** Default: ALPHA. */
  readonly stability?: Stability;
  readonly deprecated?: string;
}

export const counter = (name: string, labels: readonly string[], help: string, more?: More): DeclaredMetric =>
  declare({ name, type: "counter", help, labels }, more);

export const gauge = (name: string, labels: readonly string[], help: string, more?: More): DeclaredMetric =>
  declare({ name, type: "gauge", help, labels }, more);

export const summary = (name: string, labels: readonly string[], help: string, more?: More): DeclaredMetric =>
  declare({ name, type: "summary", help, labels }, more);

export const histogram = (
  name: string,
  labels: readonly string[],
  buckets: readonly number[],
  help: string,
  more?: More,
): DeclaredMetric => declare({ name, type: "histogram", help, labels, buckets }, more);

function declare(metric: MetricDeclaration, { stability = "ALPHA", deprecated }: More = {}): DeclaredMetric {
  return { ...metric, stability, ...(deprecated === undefined ? {} : { deprecated }) };
}

/** `count` bounds, each `factor` times the one before. */
export function exponential(first: number, factor: number, count: number): readonly number[] {
  // Powers are rounded to the digits that people write: 0.001 × 2 ** 2 is 0.004.
  return Array.from({ length: count }, (_, power) => Number((first * factor ** power).toPrecision(12)));
}
