/** Which view is shown, as the part of the address after #. */

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface ObjectName extends ResourceName {
  /** "": the resource has none. */
  readonly namespace: string;
  readonly name: string;
}

/** Which live requests are shown; "": all. */
export interface RequestFilter {
  readonly user: string;
  readonly verb: string;
  /** "pods", "deployments.apps", or a part of the path. */
  readonly target: string;
  /** "409", "4xx". */
  readonly code: string;
}

export type Route =
  | { readonly view: "overview" }
  | { readonly view: "access" }
  | { readonly view: "api" }
  | { readonly view: "testing" }
  | ({ readonly view: "requests" } & RequestFilter)
  | ({ readonly view: "kind" } & ResourceName)
  | ({
      readonly view: "objects";
      readonly namespace: string;
      readonly labels: string;
      readonly fields: string;
      readonly filter: string;
    } & ResourceName)
  | ({ readonly view: "object" } & ObjectName)
  | ({ readonly view: "edit" } & ObjectName)
  /** `resource`: a sample of this kind is made; "": of none. */
  | ({ readonly view: "create"; readonly namespace: string } & ResourceName);

/** Anything else than a route of ours is the overview. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  let words: string[];
  try {
    words = path.split("/").map(decodeURIComponent);
  } catch {
    return { view: "overview" };
  }
  const [view, group = "", version = "", resource = "", namespace = "", name = ""] = words;
  if (view === "access" || view === "testing" || (view === "api" && resource === "")) return { view };
  const given = new URLSearchParams(query);
  const value = (key: string) => given.get(key) ?? "";
  if (view === "requests")
    return { view, user: value("user"), verb: value("verb"), target: value("target"), code: value("code") };
  const named = { group: group === "core" ? "" : group, version, resource };
  if (view === "create") return { view, ...named, namespace: namespace === "-" ? "" : namespace };
  if (resource === "") return { view: "overview" };
  if (view === "api") return { view: "kind", ...named };
  if ((view === "object" || view === "edit") && name !== "")
    return { view, ...named, namespace: namespace === "-" ? "" : namespace, name };
  if (view !== "objects") return { view: "overview" };
  return {
    view,
    ...named,
    namespace: value("namespace"),
    labels: value("labels"),
    fields: value("fields"),
    filter: value("filter"),
  };
}

export function formatRoute(route: Route): string {
  if (route.view === "overview" || route.view === "access" || route.view === "api" || route.view === "testing")
    return `#/${route.view}`;
  if (route.view === "requests") {
    const { user, verb, target, code } = route;
    return `#/requests${queryOf({ user, verb, target, code })}`;
  }
  if (route.view === "kind") return hashOf(["api", route.group || "core", route.version, route.resource]);
  if (route.view === "create" && route.resource === "") return "#/create";
  const words = [route.view, route.group || "core", route.version, route.resource];
  if (route.view === "create") return hashOf([...words, route.namespace || "-"]);
  if (route.view !== "objects") return hashOf([...words, route.namespace || "-", route.name]);
  const { namespace, labels, fields, filter } = route;
  return hashOf(words) + queryOf({ namespace, labels, fields, filter });
}

const queryOf = (values: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
  return query.size === 0 ? "" : `?${query}`;
};

const hashOf = (words: readonly string[]): string => `#/${words.map(encodeURIComponent).join("/")}`;

export const objectsOf = (resource: ResourceName, namespace = ""): string => {
  const { group, version, resource: name } = resource;
  return formatRoute({
    view: "objects",
    group,
    version,
    resource: name,
    namespace,
    labels: "",
    fields: "",
    filter: "",
  });
};

export const apiOf = ({ group, version, resource }: ResourceName): string =>
  formatRoute({ view: "kind", group, version, resource });

export const objectOf = (resource: ResourceName, { namespace = "", name }: { namespace?: string; name: string }) => {
  const { group, version, resource: plural } = resource;
  return formatRoute({ view: "object", group, version, resource: plural, namespace, name });
};

export const createOf = ({ group, version, resource }: ResourceName, namespace: string): string =>
  formatRoute({ view: "create", group, version, resource, namespace });
