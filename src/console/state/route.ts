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

/** Where the page of an object begins: "": at its top. */
export type ObjectPart = "" | "logs" | "yaml";

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
  | ({ readonly view: "object"; readonly part: ObjectPart } & ObjectName)
  | ({ readonly view: "edit" } & ObjectName)
  /** `resource`: a sample of this kind is made; "": of none. */
  | ({ readonly view: "create"; readonly namespace: string } & ResourceName);

export type ObjectsRoute = Extract<Route, { readonly view: "objects" }>;

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
  const object = { ...named, namespace: namespace === "-" ? "" : namespace, name };
  if (view === "edit" && name !== "") return { view, ...object };
  if (view === "object" && name !== "") {
    const given = value("part");
    return { view, ...object, part: given === "logs" || given === "yaml" ? given : "" };
  }
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
  if (route.view === "edit") return hashOf([...words, route.namespace || "-", route.name]);
  if (route.view === "object")
    return hashOf([...words, route.namespace || "-", route.name]) + queryOf({ part: route.part });
  const { namespace, labels, fields, filter } = route;
  return hashOf(words) + queryOf({ namespace, labels, fields, filter });
}

const queryOf = (values: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
  return query.size === 0 ? "" : `?${query}`;
};

const hashOf = (words: readonly string[]): string => `#/${words.map(encodeURIComponent).join("/")}`;

/** The objects of a kind; `selected`: which of them. */
export const objectsOf = (
  { group, version, resource }: ResourceName,
  selected: { readonly namespace?: string; readonly labels?: string; readonly fields?: string } = {},
): string => {
  const all = { namespace: "", labels: "", fields: "", filter: "" };
  return formatRoute({ view: "objects", group, version, resource, ...all, ...selected });
};

export const apiOf = ({ group, version, resource }: ResourceName): string =>
  formatRoute({ view: "kind", group, version, resource });

export interface ObjectRef {
  /** Absent and "": the resource has none. */
  readonly namespace?: string;
  readonly name: string;
}

export const objectOf = (resource: ResourceName, { namespace = "", name }: ObjectRef, part: ObjectPart = "") => {
  const { group, version, resource: plural } = resource;
  return formatRoute({ view: "object", group, version, resource: plural, namespace, name, part });
};

export const editOf = (resource: ResourceName, { namespace = "", name }: ObjectRef): string => {
  const { group, version, resource: plural } = resource;
  return formatRoute({ view: "edit", group, version, resource: plural, namespace, name });
};

export const createOf = ({ group, version, resource }: ResourceName, namespace: string): string =>
  formatRoute({ view: "create", group, version, resource, namespace });
