/** What a tab of the browser is called: the place, then the cluster. */

import type { Route } from "./route.ts";

const views: Readonly<Record<string, string>> = {
  overview: "Overview",
  access: "Access",
  api: "API",
  testing: "Testing",
  server: "Server",
  requests: "Requests",
  create: "Create",
  unknown: "Not found",
};

/** `context`: which cluster; "": it has no name. */
export function titleOf(route: Route, context: string): string {
  const cluster = context === "" ? "Console" : context;
  return `${placeOf(route)} · ${cluster}`;
}

function placeOf(route: Route): string {
  if (route.view === "objects")
    return route.namespace === "" ? route.resource : `${route.resource} in ${route.namespace}`;
  if (route.view === "kind") return `${route.resource} · API`;
  if (route.view === "object") return `${route.name}${route.part === "" ? "" : ` · ${route.part}`} · ${route.resource}`;
  if (route.view === "edit") return `Edit ${route.name} · ${route.resource}`;
  return views[route.view] ?? "Console";
}
