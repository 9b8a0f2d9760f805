/** Which view is shown, as the part of the address after #. */

interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

interface ObjectName extends ResourceName {
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

/** The tabs of the page of an object; "": its summary. */
const objectParts = [
  "",
  "yaml",
  "events",
  "logs",
  "shell",
  "relations",
  "access",
  "requests",
  "history",
  "metrics",
] as const;
export type ObjectPart = (typeof objectParts)[number];

/** Views whose address is their name alone; "" is that of the first. */
const plainViews = ["overview", "access", "api", "testing", "server"] as const;
type PlainView = (typeof plainViews)[number];
type PlainRoute = { readonly [View in PlainView]: { readonly view: View } }[PlainView];
const isPlain = (route: { readonly view: string }): route is PlainRoute =>
  (plainViews as readonly string[]).includes(route.view);

export type Route =
  | PlainRoute
  /** An address that is none of ours: it stays as it is, so that it can be corrected. */
  | { readonly view: "unknown"; readonly path: string }
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

/** No address is the overview. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const unknown = { view: "unknown", path: hash.replace(/^#/, "") } as const;
  let words: string[];
  try {
    words = path.split("/").map(decodeURIComponent);
  } catch {
    return unknown;
  }
  const [view = "", group = "", version = "", resource = "", namespace = "", name = ""] = words;
  if (path === "") return { view: plainViews[0] };
  const plain = { view };
  if (words.length === 1 && isPlain(plain)) return plain;
  const given = new URLSearchParams(query);
  const value = (key: string) => given.get(key) ?? "";
  if (view === "requests" && words.length === 1)
    return { view, user: value("user"), verb: value("verb"), target: value("target"), code: value("code") };
  const named = { group: group === "core" ? "" : group, version, resource };
  if (view === "create" && (words.length === 1 || resource !== ""))
    return { view, ...named, namespace: namespace === "-" ? "" : namespace };
  if (resource === "") return unknown;
  if (view === "api") return { view: "kind", ...named };
  const object = { ...named, namespace: namespace === "-" ? "" : namespace, name };
  if (view === "edit" && name !== "") return { view, ...object };
  if (view === "object" && name !== "") {
    const given = value("part");
    return { view, ...object, part: objectParts.find((one) => one === given) ?? "" };
  }
  if (view !== "objects") return unknown;
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
  if (route.view === "unknown") return `#${route.path}`;
  if (isPlain(route)) return `#/${route.view}`;
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

/** Whether both name the same resource. */
export const isSame = (a: ResourceName, b: ResourceName): boolean =>
  a.resource === b.resource && a.group === b.group && a.version === b.version;
