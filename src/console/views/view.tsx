/** The view that the address names. */

import { isSame, type Route } from "../state/route.ts";
import { Access } from "./access.tsx";
import { Api, ApiKind } from "./api.tsx";
import { Create } from "./create.tsx";
import type { DroppedFile } from "./dropped-file.ts";
import { Edit } from "./edit.tsx";
import { NotFound } from "./not-found.tsx";
import { ErrorNote } from "./notes.tsx";
import { ObjectPage } from "./object.tsx";
import { Objects } from "./objects.tsx";
import type { Page } from "./page.ts";
import { Requests } from "./requests.tsx";
import { Testing } from "./testing.tsx";

interface ViewOptions {
  readonly page: Page;
  readonly route: Exclude<Route, { readonly view: "overview" | "server" }>;
  readonly dropped: DroppedFile | undefined;
}

export function View({ page, route, dropped }: ViewOptions) {
  if (route.view === "unknown") return <NotFound path={route.path} />;
  if (route.view === "access") return <Access page={page} />;
  if (route.view === "api") return <Api page={page} />;
  if (route.view === "testing") return <Testing page={page} />;
  if (route.view === "requests") return <Requests page={page} route={route} />;
  const resource = page.discovery.resources.find((one) => isSame(one, route));
  if (route.view === "create" && page.connection.facts.isReadOnly)
    return <ErrorNote error="The console is read-only." />;
  if (route.view === "create" && (route.resource === "" || resource !== undefined)) {
    const { namespace } = route;
    const given = resource === undefined ? dropped : undefined;
    const options = { page, resource, namespace, dropped: given?.text };
    return <Create key={`${JSON.stringify(route)} ${given?.number}`} {...options} />;
  }
  if (resource === undefined) return <ErrorNote error={`The server does not serve ${route.resource}.`} />;
  const key = `${route.group}/${route.version}/${route.resource}`;
  if (route.view === "kind") return <ApiKind key={key} page={page} resource={resource} />;
  if (route.view === "objects") return <Objects key={key} page={page} resource={resource} route={route} />;
  if (route.view === "create") return null;
  const { namespace, name } = route;
  const options = { page, resource, namespace, name };
  if (route.view === "edit") return <Edit key={`${key}/${namespace}/${name}`} {...options} />;
  return <ObjectPage key={`${key}/${namespace}/${name}`} {...options} part={route.part} />;
}
