/** What a server of a level tells its clients, in the words of the facts. */

import type { Release } from "../../src/base/release.ts";
import type { OpenApiSchema } from "../../src/machinery/openapi/document.ts";
import type { Level } from "../../src/machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { schemaFacts, shortName } from "./declared.ts";
import { resourceWords } from "./differences.ts";
import { fieldFacts } from "./fact-words.ts";

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly singularName: string;
  }[];
}

export interface Served {
  readonly minor: string;
  /** "batch v1 v1beta1", in the order of the server. */
  readonly groups: readonly string[];
  /** By "batch/v1 jobs/status". */
  readonly resources: ReadonlyMap<string, string>;
  /** Kinds by their names for one object; before 1.27 they have none. */
  readonly singularNames: ReadonlyMap<string, string>;
  /** "core.v1.Pod.spec": what OpenAPI says, without what only protobuf and JSON show. */
  readonly v2: ReadonlyMap<string, string>;
  readonly v3: ReadonlyMap<string, string>;
  /** The default roles and bindings, by "ClusterRole system:node". */
  readonly roles: ReadonlyMap<string, object>;
  /** "BETA on" by gate; undefined: the release has no metric of gates. */
  readonly gates: ReadonlyMap<string, string>;
}

export async function servedAt(release: Release): Promise<Served> {
  await using server = await createServer({
    emulatedVersion: release as Level,
    controllers: false,
    authorization: "RBAC",
  });
  const json = async <T>(path: string): Promise<T> => (await (await server.fetch(path)).json()) as T; // the formats of the protocol
  const { minor } = await json<{ minor: string }>("/version");
  const { groups } = await json<{ groups: { name: string; versions: { version: string }[] }[] }>("/apis");
  const resources = new Map<string, string>();
  const singularNames = new Map<string, string>();
  const groupVersions = groups.flatMap(({ name, versions }) => versions.map(({ version }) => `${name}/${version}`));
  for (const groupVersion of ["v1", ...groupVersions]) {
    const list = await json<ResourceList>(groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`);
    for (const each of list.resources) {
      resources.set(`${groupVersion} ${each.name}`, resourceWords(each));
      if (!each.name.includes("/")) singularNames.set(`${groupVersion} ${each.kind}`, each.singularName);
    }
  }
  const v3 = new Map<string, string>();
  const { paths } = await json<{ paths: Record<string, { serverRelativeURL: string }> }>("/openapi/v3");
  for (const { serverRelativeURL } of Object.values(paths)) {
    const { components } = await json<{ components?: { schemas?: Definitions } }>(serverRelativeURL);
    readDefinitions(components?.schemas ?? {}, v3);
  }
  const v2 = new Map<string, string>();
  readDefinitions((await json<{ definitions: Definitions }>("/openapi/v2")).definitions, v2);
  return {
    minor,
    groups: groups.map(({ name, versions }) => `${name} ${versions.map(({ version }) => version).join(" ")}`),
    resources,
    singularNames,
    v2,
    v3,
    roles: await rolesOf(server),
    gates: gatesIn(await (await server.fetch("/metrics")).text()),
  };
}

type Definitions = Readonly<Record<string, OpenApiSchema>>;

function readDefinitions(definitions: Definitions, words: Map<string, string>): void {
  for (const [name, { properties = {}, required = [] }] of Object.entries(definitions)) {
    for (const [field, property] of Object.entries(properties))
      words.set(`${shortName(name)}.${field}`, fieldFacts(schemaFacts(property, required.includes(field))));
  }
}

interface RoleObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

async function rolesOf(server: OrchServer): Promise<ReadonlyMap<string, object>> {
  const found = new Map<string, object>();
  for (const kind of ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]) {
    const path = `/apis/rbac.authorization.orch.io/v1/${kind.toLowerCase()}s`;
    const { items } = (await (await server.fetch(path)).json()) as { items: readonly RoleObject[] };
    for (const item of items) {
      const { name, namespace = "" } = item.metadata;
      found.set(`${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`, item);
    }
  }
  return found;
}

/** `…feature_enabled{name="WatchList",stage="BETA"} 1`. */
function gatesIn(metrics: string): ReadonlyMap<string, string> {
  const lines = metrics.matchAll(/^\w*feature_enabled\{name="(\w+)",stage="(\w*)"\} (\d)/gm);
  return new Map(
    [...lines].map(([, name = "", stage = "", on]) => [name, `${stage || "GA"} ${on === "1" ? "on" : "off"}`]),
  );
}
