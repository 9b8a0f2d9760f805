/**
 * The OpenAPI v2 document in parts: one for the built-in kinds, which never changes, and one for each custom kind,
 * which is built once. So the thousandth definition is published without rebuilding the others.
 */

import { inTimeSlices, nextTimeSlice, type Steps, TimeSlice } from "../../base/time-slice.ts";
import type { DocumentInfo, OpenApiV2 } from "../../machinery/openapi/document.ts";
import { type BoundKind, type Catalog, servedKinds } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { ForeignSchemas } from "../contract/routes.ts";
import { foreignFragments } from "./foreign-fragments.ts";
import { digestOf, type FragmentText, hashOf } from "./fragment-text.ts";

export interface PiecedDocument {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  readonly etag: string;
}

/** The document of the built-in kinds, split where fragments are inserted. */
interface Trunk {
  readonly head: Buffer;
  readonly between: Buffer;
  readonly tail: Buffer;
  readonly message: Buffer;
  readonly hash: string;
  /** The digest of each definition. */
  readonly definitions: ReadonlyMap<string, string>;
}

type V2Encoding = "json" | "protobuf";

interface V2Documents {
  get(encoding: V2Encoding): Promise<PiecedDocument>;
}

interface V2Options {
  readonly catalog: Catalog;
  readonly info: DocumentInfo;
  /** Called with the time that a document took. */
  readonly made: (durationMs: number) => void;
  /** The schemas of aggregated servers. Absent: there are none. */
  readonly foreign: ForeignSchemas | undefined;
}

const comma = Buffer.from(",");

/** Everything is made on the first request, so that a server whose schema is never requested starts without it. */
export function createV2Documents({ catalog, info, made, foreign }: V2Options): V2Documents {
  const fragments = new WeakMap<BoundKind, FragmentText>();
  let trunk: Promise<Trunk> | undefined;
  let known: { readonly generation: string; readonly documents: Map<V2Encoding, Promise<PiecedDocument>> } | undefined;

  // What it has of deleted definitions, 19 kB of each, does not wait for the next request.
  catalog.onChange(() => {
    known = undefined;
  });

  const make = async (encoding: V2Encoding): Promise<PiecedDocument> => {
    const beganMs = performance.now();
    trunk ??= makeTrunk(catalog, info);
    const base = await trunk;
    const parts: FragmentText[] = [];
    let makeFragment: ((kind: BoundKind) => Steps<FragmentText>) | undefined;
    const slice = new TimeSlice();
    for (const kind of servedKinds(catalog).filter((each) => conventionsOf(each).isTemporary)) {
      let fragment = fragments.get(kind);
      if (fragment === undefined) {
        makeFragment ??= await fragmentMaker(catalog);
        fragment = await inTimeSlices(makeFragment(kind), slice);
        fragments.set(kind, fragment);
      }
      parts.push(fragment);
      if (encoding === "protobuf") fragment.message ??= await makeMessage(fragment, slice);
      if (slice.isLong) await slice.next(); // a server may have a thousand of them
    }
    const schemas = foreign?.v2() ?? [];
    if (schemas.length > 0) parts.push(...(await foreignFragments(schemas, base.definitions, parts)));
    const document = assemble(base, parts, encoding);
    made(performance.now() - beganMs);
    return document;
  };

  return {
    get(encoding) {
      const generation = `${catalog.generation} ${foreign?.generation ?? 0}`;
      if (known?.generation !== generation) known = { generation, documents: new Map() };
      const { documents } = known;
      let found = documents.get(encoding);
      if (found === undefined) {
        found = make(encoding);
        found.catch(() => documents.delete(encoding));
        documents.set(encoding, found);
      }
      return found;
    },
  };
}

async function makeTrunk(catalog: Catalog, info: DocumentInfo): Promise<Trunk> {
  const { buildOpenApiV2 } = await import("../../machinery/openapi/v2.ts");
  const { encodeOpenApiV2Protobuf } = await import("../../machinery/openapi/v2-protobuf.ts");
  const slice = new TimeSlice();
  const document = await inTimeSlices(buildOpenApiV2(catalog, info), slice);
  await nextTimeSlice();
  const { swagger, paths, definitions, ...rest } = document;
  const head = Buffer.from(`${JSON.stringify({ swagger, info }).slice(0, -1)},"paths":{${membersOf(paths)}`);
  await nextTimeSlice();
  const between = Buffer.from(`},"definitions":{${membersOf(definitions)}`);
  const { info: _info, ...others } = rest;
  const tail = Buffer.from(`},${membersOf(others)}}`);
  await nextTimeSlice();
  const message = await inTimeSlices(encodeOpenApiV2Protobuf(document), slice);
  await nextTimeSlice();
  const digests = Object.entries(definitions).map(([name, one]) => [name, digestOf(JSON.stringify(one))] as const);
  return { head, between, tail, message, hash: hashOf(head, between, tail), definitions: new Map(digests) };
}

async function fragmentMaker(catalog: Catalog): Promise<(kind: BoundKind) => Steps<FragmentText>> {
  const { createFragmentBuilder } = await import("../../machinery/openapi/v2.ts");
  const build = createFragmentBuilder(catalog);
  return function* make(kind) {
    const made = yield* build(kind);
    yield;
    const paths = Buffer.from(membersOf(made.paths));
    const definitions = Buffer.from(membersOf(made.definitions));
    yield;
    const names = Object.keys(made.definitions);
    return { paths, definitions, names, message: undefined, hash: hashOf(paths, definitions) };
  };
}

async function makeMessage({ paths, definitions }: FragmentText, slice: TimeSlice): Promise<Buffer> {
  const { openApiV2FragmentSteps } = await import("../../machinery/openapi/v2-protobuf.ts");
  function* make(): Steps<Buffer> {
    const document = JSON.parse(`{"paths":{${paths}},"definitions":{${definitions}}}`) as OpenApiV2; // printed from one
    yield;
    return yield* openApiV2FragmentSteps(document);
  }
  return inTimeSlices(make(), slice);
}

/** The members of an object, without its braces. */
const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);

function assemble(trunk: Trunk, parts: readonly FragmentText[], encoding: V2Encoding): PiecedDocument {
  const pieces: Buffer[] = [];
  if (encoding === "protobuf") pieces.push(trunk.message, ...parts.flatMap(({ message }) => message ?? []));
  else {
    pieces.push(trunk.head);
    for (const { paths } of parts) if (paths.length > 0) pieces.push(comma, paths);
    pieces.push(trunk.between);
    for (const { definitions } of parts) if (definitions.length > 0) pieces.push(comma, definitions);
    pieces.push(trunk.tail);
  }
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const hashes = [encoding, trunk.hash, ...parts.map(({ hash }) => hash)].map((text) => Buffer.from(text));
  return { pieces, bytes, etag: `"${hashOf(...hashes)}"` };
}
