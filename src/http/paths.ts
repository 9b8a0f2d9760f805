/** Paths that are neither resources nor discovery: health, version, metrics, OpenAPI, and routes of other rooms. */

import type { Environment } from "../machinery/schema/environment.ts";
import { metricsContentType } from "../metrics/exposition.ts";
import { requireGet } from "./answer/errors.ts";
import { type Answer, replyOfType } from "./answer/reply.ts";
import { sendJson } from "./answer/respond.ts";
import { pageNotFound } from "./answer/vocabulary-hint.ts";
import type { Route } from "./contract/routes.ts";
import { createHealth } from "./health/health.ts";
import { requireAccepted } from "./negotiation/choose.ts";
import { createOpenApi } from "./openapi/openapi.ts";
import type { Call } from "./request/call.ts";
import type { ServerContext } from "./server/context.ts";

export function createPaths(context: ServerContext): (call: Call) => Answer {
  const { catalog, version, routes = [] } = context;
  const health = createHealth(context);
  const openApi = createOpenApi(context);
  const exact = new Map(routes.filter(({ path }) => !path.endsWith("/")).map((route) => [route.path, route]));
  const below = routes.filter(({ path }) => path.endsWith("/")).sort((a, b) => b.path.length - a.path.length);
  const showMetrics = context.metrics.text;
  const metricsType = metricsTypeOf(catalog.environment);
  const namesPaths = catalog.environment.has("namedPaths");
  const hasMetrics = context.metricsPath !== false;
  const metricsPaths = hasMetrics
    ? ["/metrics", ...(catalog.environment.has("indicators") ? [indicatorsPath] : [])]
    : [];

  const all = (): string[] => {
    const groups = catalog.groups().flatMap(({ group, versions }) => {
      const base = group === "" ? "/api" : `/apis/${group}`;
      return [base, ...versions.map((one) => `${base}/${one}`)];
    });
    const listed = routes.filter((route) => route.listed !== false).map((route) => route.path);
    const own = ["/apis", "/apis/", "/version", "/openapi/v2", ...metricsPaths];
    const found = [...new Set([...groups, ...listed, ...own, ...health.paths])];
    return found.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  };

  /** As in the reference: an unknown path is answered with the paths of the last server in its chain, that of extensions. */
  const ofExtensions = (): string[] => {
    const group = `/apis/${context.vocabulary.group("apiextensions.orch.io")}`;
    return all().filter((path) => {
      const [, endpoint = "", ...check] = path.split("/");
      if (endpoint === "apis") return path === "/apis" || path === "/apis/" || `${path}/`.startsWith(`${group}/`);
      if (endpoint === "healthz" || endpoint === "livez" || endpoint === "readyz") {
        return check[0] !== "poststarthook"
          ? check[0] !== "autoregister-completion"
          : extensionHooks.has(check[1] ?? "");
      }
      return endpoint === "metrics" || endpoint === "version" || path === "/openapi/v2";
    });
  };

  return (call) => {
    const { path } = call.info;
    const route = exact.get(path) ?? below.find((one) => path.startsWith(one.path));
    if (route !== undefined) return handle(route, call, context.lifecycle.ending);
    const healthAnswer = health.answer(call);
    if (healthAnswer !== undefined) return healthAnswer;
    const openApiAnswer = openApi(call);
    if (openApiAnswer !== undefined) return openApiAnswer;
    switch (path) {
      case "/":
      case "/index.html":
        return sendJson(context, call, 200, { paths: all() });
      case "/version":
      case "/version/":
        requireGet(call);
        requireAccepted(call.exchange.header("accept"), "application/json");
        return sendJson(context, call, 200, version);
      case "/metrics":
      case indicatorsPath:
        if (metricsPaths.includes(path)) {
          const text = path === indicatorsPath ? context.metrics.print(health.indicators) : showMetrics();
          return text.then((shown) => replyOfType(context, call, metricsType).send(shown));
        }
    }
    return namesPaths ? sendJson(context, call, 404, { paths: ofExtensions() }) : pageNotFound(context, call);
  };
}

/** The results of health checks, as metrics. */
const indicatorsPath = "/metrics/slis";

/** The names of metrics have only letters, digits and underscores. */
/** How signs in names that are not allowed are replaced is said since there are others. */
function metricsTypeOf({ has }: Pick<Environment, "has">): string {
  if (!has("escapedMetrics")) return metricsContentType;
  return `${metricsContentType}; escaping=${has("underscoredMetrics") ? "underscores" : "values"}`;
}

/** Hooks of the part that serves custom resources. */
const extensionHooks: ReadonlySet<string> = new Set([
  "crd-informer-synced",
  "generic-apiserver-start-informers",
  "max-in-flight-filter",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "start-apiextensions-controllers",
  "start-apiextensions-informers",
]);

/** The check of the store has the same position as in the reference, under any name. */
function place(path: string): string {
  return path.replace("/kvstore", "/etcd");
}

function handle(route: Route, call: Call, ending: AbortSignal): Answer {
  if (route.method !== undefined) requireGet(call);
  return route.handle(call.exchange, call, ending);
}
