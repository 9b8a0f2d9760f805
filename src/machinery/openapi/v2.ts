/** The OpenAPI v2 document: every definition and path of the built-in kinds, and what each custom kind adds to them. */

import type { Steps } from "../../base/time-slice.ts";
import { APIGroupListStruct, APIGroupStruct, APIResourceListStruct, APIVersionsStruct } from "../codec/meta-types.ts";
import type { BoundKind, Catalog } from "../schema/catalog.ts";
import { conventionsOf } from "../schema/conventions.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { Definitions } from "./definitions.ts";
import type { DocumentInfo, OpenApiSchema, OpenApiV2, PathItem } from "./document.ts";
import { groupTag, groupWord } from "./group-words.ts";
import { PathWriter } from "./paths.ts";

/** The document of the built-in kinds. The caller keeps it: making it takes many milliseconds, and it never changes. */
export function* buildOpenApiV2(catalog: Catalog, info: DocumentInfo): Steps<OpenApiV2> {
  const definitions = new Definitions(catalog.environment);
  const writer = new PathWriter(catalog, definitions);
  const discovery = Object.entries(discoveryPaths(catalog, definitions)).map(([path, make]) => [path, make()] as const);
  for (const { group, versions } of catalog.groups()) {
    for (const version of versions) {
      for (const kind of catalog.ofGroupVersion(group, version))
        if (!conventionsOf(kind).isTemporary) writer.addKind(kind);
      yield;
    }
  }
  return assemble(info, { ...Object.fromEntries(discovery), ...writer.take() }, definitions);
}

/** What a custom kind adds to the document. */
export type Fragment = Pick<OpenApiV2, "paths" | "definitions">;

/** Makes fragments one after the other. Types that they share with others are already in the document, and are made once. */
export function createFragmentBuilder(catalog: Catalog): (kind: BoundKind) => Steps<Fragment> {
  const shared = new Definitions(catalog.environment);
  const writer = new PathWriter(catalog, shared);
  return function* build(kind) {
    yield* shared.prepare(kind);
    writer.addKind(kind);
    const paths = writer.take();
    const own = kind.schema.name;
    return { paths, definitions: shared.take([own, own.replace(/[^.]*$/, kind.listKind)]) };
  };
}

/** All of one group version, with everything that it refers to, to be shown in v3. */
export function* buildOpenApiPart(
  catalog: Catalog,
  group: string,
  version: string,
  info: DocumentInfo,
): Steps<OpenApiV2> {
  const definitions = new Definitions(catalog.environment, "v3");
  const writer = new PathWriter(catalog, definitions);
  for (const kind of catalog.ofGroupVersion(group, version)) {
    yield* definitions.prepare(kind);
    yield;
    writer.addKind(kind);
  }
  const path = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const list = discoveryPaths(catalog, definitions)[path];
  return assemble(info, { ...writer.take(), ...(list === undefined ? {} : { [path]: list() }) }, definitions);
}

/** One path of discovery, such as "/apis/apps/", with everything that it refers to. Undefined: it does not exist. */
export function buildDiscoveryPart(catalog: Catalog, path: string, info: DocumentInfo): OpenApiV2 | undefined {
  const definitions = new Definitions(catalog.environment, "v3");
  const item = discoveryPaths(catalog, definitions)[path];
  return item === undefined ? undefined : assemble(info, { [path]: item() }, definitions);
}

function assemble(info: DocumentInfo, paths: Record<string, PathItem>, definitions: Definitions): OpenApiV2 {
  return {
    swagger: "2.0",
    info,
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: definitions.all(),
    securityDefinitions: {
      BearerToken: { description: "A bearer token", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  };
}

/** The paths of discovery. Only those that are made define the types that they refer to. */
function discoveryPaths(catalog: Catalog, definitions: Definitions): Record<string, () => PathItem> {
  const { vocabulary } = catalog.environment;
  const types = ["application/json", "application/yaml", vocabulary.protobufMediaType];
  const v1 = (kind: string) => [{ group: "", version: "v1", kind }];
  // All are made by struct().
  const whole = (field: Field, kind: string) => definitions.referToWhole(field.schema as StructSchema, v1(kind));
  const group = () => whole(APIGroupStruct, "APIGroup");
  const paths: Record<string, () => PathItem> = {
    "/api/": () => readOnly("getCoreAPIVersions", "core", whole(APIVersionsStruct, "APIVersions"), types),
    "/apis/": () => {
      group(); // before the list, which would define it as a part only
      return readOnly("getAPIVersions", "apis", whole(APIGroupListStruct, "APIGroupList"), types);
    },
    "/version/": () => readOnly("getCodeVersion", "version", { type: "object" }, ["application/json"]),
  };
  for (const { group: name, versions: all } of catalog.groups()) {
    const versions = all.filter((version) =>
      catalog.ofGroupVersion(name, version).some((kind) => !conventionsOf(kind).isTemporary),
    );
    if (versions.length === 0) continue;
    const word = (version: string) => groupWord(vocabulary, name, version);
    const tag = (version: string) => groupTag(vocabulary, name, version);
    if (name !== "") paths[`/apis/${name}/`] = () => readOnly(`get${word("")}APIGroup`, tag(""), group(), types);
    for (const version of versions) {
      const path = name === "" ? `/api/${version}/` : `/apis/${name}/${version}/`;
      const list = () => whole(APIResourceListStruct, "APIResourceList");
      paths[path] = () => readOnly(`get${word(version)}APIResources`, tag(version), list(), types);
    }
  }
  return paths;
}

function readOnly(operationId: string, tag: string, answer: OpenApiSchema, types: readonly string[]): PathItem {
  return {
    get: {
      description: "what there is",
      operationId,
      tags: [tag],
      consumes: types,
      produces: types,
      schemes: ["https"],
      responses: { "200": { description: "OK", schema: answer }, "401": { description: "Unauthorized" } },
    },
  };
}
