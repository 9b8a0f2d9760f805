/** /healthz, /livez and /readyz: whether the server is healthy, in one word for machines and line by line for people. */

import type { Metric } from "../../base/metrics.ts";
import { sendText } from "../answer/respond.ts";
import type { HealthCheck, HealthEndpoint } from "../contract/health.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { createHealthIndicators } from "./indicators.ts";

const endpoints: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];

interface HealthPaths {
  /** Undefined: the path is not a health path. */
  answer(call: Call): Promise<void> | undefined;
  /** All paths, for the list at "/". */
  readonly paths: readonly string[];
  /** The results so far. */
  readonly indicators: readonly Metric[];
}

export function createHealth(context: ServerContext): HealthPaths {
  const indicators = createHealthIndicators();
  const startedMs = context.clock.monotonic();
  const graceMs = context.livezGraceMs ?? 0;
  const checksOf = (endpoint: HealthEndpoint): readonly HealthCheck[] =>
    [...context.healthChecks, ...(context.changingHealthChecks?.() ?? [])].filter(({ on }) => on.includes(endpoint));

  /** Undefined: healthy. The reason of a failure goes to the log only, since many clients may read these paths. */
  const problemOf = async (endpoint: HealthEndpoint, check: HealthCheck): Promise<string | undefined> => {
    const isStarting = context.clock.monotonic() - startedMs < graceMs;
    if (endpoint === "livez" && check.graceful === true && isStarting) return undefined;
    try {
      await check.check(endpoint);
      indicators.note(endpoint, check.name, true);
      return undefined;
    } catch (cause) {
      indicators.note(endpoint, check.name, false);
      context.log.warn("health check failed", { check: check.name, endpoint, cause });
      return cause instanceof Error ? cause.message : String(cause);
    }
  };

  const answerWhole = async (call: Call, endpoint: HealthEndpoint, checks: readonly HealthCheck[]): Promise<void> => {
    const { query } = call.info;
    const unmatched = new Set(query.getAll("exclude"));
    const excluded = new Set(unmatched);
    const results = await Promise.all(
      checks.map(async (check) => {
        unmatched.delete(check.name);
        if (excluded.has(check.name)) return { line: `[+]${check.name} excluded: ok`, well: true };
        const problem = await problemOf(endpoint, check);
        if (problem === undefined) return { line: `[+]${check.name} ok`, well: true };
        return { line: `[-]${check.name} failed: reason withheld`, well: false };
      }),
    );
    const lines = results.map(({ line }) => line);
    if (unmatched.size > 0) {
      const names = [...unmatched].sort().map((name) => `"${name}"`);
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(", ")}`);
    }
    if (results.some(({ well }) => !well)) {
      return sendText(call, 500, `${[...lines, `${endpoint} check failed`].join("\n")}\n`);
    }
    if (!query.has("verbose")) return sendText(call, 200, "ok");
    // All three paths have this wording, as in the specification.
    sendText(call, 200, `${[...lines, "healthz check passed"].join("\n")}\n`);
  };

  const answerSingle = async (call: Call, endpoint: HealthEndpoint, check: HealthCheck): Promise<void> => {
    const problem = await problemOf(endpoint, check);
    if (problem === undefined) sendText(call, 200, "ok");
    else sendText(call, 500, `internal server error: ${problem}\n`);
  };

  return {
    indicators: indicators.all,
    get paths() {
      const single = endpoints.flatMap((endpoint) => checksOf(endpoint).map(({ name }) => `/${endpoint}/${name}`));
      return [...endpoints.map((endpoint) => `/${endpoint}`), ...single];
    },
    answer(call) {
      const { path } = call.info;
      const endpoint = endpoints.find((one) => path.startsWith(one, 1));
      if (endpoint === undefined) return undefined;
      if (path.length === endpoint.length + 1) return answerWhole(call, endpoint, checksOf(endpoint));
      const check = checksOf(endpoint).find(({ name }) => path === `/${endpoint}/${name}`);
      return check === undefined ? undefined : answerSingle(call, endpoint, check);
    },
  };
}
