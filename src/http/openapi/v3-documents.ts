/**
 * The OpenAPI v3 documents, one for each group version and for each path of discovery: made on the first request, and kept
 * while their kinds are unchanged.
 */

import { createHash } from "node:crypto";
import { inTimeSlices, nextTimeSlice } from "../../base/time-slice.ts";
import type { DocumentInfo } from "../../machinery/openapi/document.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { hasLastingKinds } from "../handlers/find-target.ts";

export interface V3Document {
  /** The hash of the JSON form; both forms share it. */
  readonly hash: string;
  readonly json: Buffer;
  /** Made on the first call. Undefined: there is no such form. */
  readonly protobuf: (() => Promise<Buffer>) | undefined;
}

interface V3Documents {
  /** "api/v1", "apis/apps", "version": what follows "/openapi/v3/". In the order of names. */
  paths(): readonly string[];
  /** Undefined: the document does not exist. */
  get(path: string): Promise<V3Document> | undefined;
}

interface Kept {
  readonly kinds: readonly BoundKind[];
  readonly document: Promise<V3Document>;
}

export function createV3Documents(catalog: Catalog, info: DocumentInfo): V3Documents {
  const kept = new Map<string, Kept>();
  // A group version whose kinds are gone leaves nothing behind, whether or not anything is requested again.
  catalog.onChange(({ gone }) => {
    for (const { group, version } of gone)
      if (catalog.ofGroupVersion(group, version).length === 0) kept.delete(`apis/${group}/${version}`);
  });
  return {
    paths: () =>
      catalog
        .groups()
        .flatMap(({ group, versions }) => {
          const base = group === "" ? "api" : `apis/${group}`;
          const shown = versions.filter((version) => describedKinds(catalog, group, version).length > 0);
          const own = group === "" || (shown.length > 0 && hasLastingKinds(catalog, group)) ? [base] : [];
          return [...own, ...shown.map((version) => `${base}/${version}`)];
        })
        .concat("apis", "version")
        .sort(),
    get(path) {
      const kinds = kindsOf(catalog, path);
      if (kinds === undefined) return undefined;
      const known = kept.get(path);
      if (known !== undefined && isSame(known.kinds, kinds)) return known.document;
      // Requests that arrive while it is being made wait for the same document.
      const document = make(catalog, path, info);
      kept.set(path, { kinds, document });
      document.catch(() => kept.delete(path));
      return document;
    },
  };
}

interface Place {
  readonly group: string;
  /** "": the document of the path of discovery. */
  readonly version: string;
}

/** Undefined: no document could have this path. */
function placeOf(path: string): Place | undefined {
  const [root, first = "", second = "", ...rest] = path.split("/");
  if (rest.length > 0 || path.endsWith("/")) return undefined;
  if (root === "api") return second === "" ? { group: "", version: first } : undefined;
  return root === "apis" ? { group: first, version: second } : undefined;
}

/** The kinds on which a document depends. Undefined: it does not exist. */
function kindsOf(catalog: Catalog, path: string): readonly BoundKind[] | undefined {
  if (path === "api" || path === "apis" || path === "version") return [];
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const { group, version } = place;
  if (version === "") {
    const isShown = catalog.versionsOf(group).some((one) => describedKinds(catalog, group, one).length > 0);
    return isShown && hasLastingKinds(catalog, group) ? [] : undefined;
  }
  const kinds = describedKinds(catalog, group, version);
  return kinds.length === 0 ? undefined : kinds;
}

const describedKinds = (catalog: Catalog, group: SpokenGroup, version: string): readonly BoundKind[] =>
  catalog.ofGroupVersion(group, version).filter(({ compat }) => !compat.hasNoDocument);

function isSame(a: readonly BoundKind[], b: readonly BoundKind[]): boolean {
  return a.length === b.length && a.every((kind, index) => kind === b[index]);
}

async function make(catalog: Catalog, path: string, info: DocumentInfo): Promise<V3Document> {
  const { buildOpenApiV3, buildDiscoveryV3 } = await import("../../machinery/openapi/v3.ts");
  await nextTimeSlice(); // the index requests all of them in a row
  const { group = "", version = "" } = placeOf(path) ?? {};
  const steps =
    version === "" ? buildDiscoveryV3(catalog, `/${path}/`, info) : buildOpenApiV3(catalog, group, version, info);
  const document = await inTimeSlices(steps);
  await nextTimeSlice();
  const json = Buffer.from(JSON.stringify(document));
  const hash = createHash("sha256").update(json).digest("hex").toUpperCase();
  let protobuf: Promise<Buffer> | undefined;
  return {
    hash,
    json,
    protobuf() {
      protobuf ??= encode(json);
      return protobuf;
    },
  };
}

async function encode(json: Buffer): Promise<Buffer> {
  const { encodeOpenApiV3Protobuf } = await import("../../machinery/openapi/v3-protobuf.ts");
  const document = JSON.parse(json.toString("utf8")) as Record<string, unknown>; // printed from one
  await nextTimeSlice();
  return inTimeSlices(encodeOpenApiV3Protobuf(document));
}
