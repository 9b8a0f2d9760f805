/** The OpenAPI v3 documents, one for each group version: made on the first request, and kept while their kinds are unchanged. */

import { createHash } from "node:crypto";
import { inTimeSlices, nextTimeSlice } from "../../base/time-slice.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import type { PiecedDocument } from "./v2-document.ts";

export interface V3Documents {
  get(group: SpokenGroup, version: string): Promise<PiecedDocument>;
}

interface Kept {
  readonly kinds: readonly BoundKind[];
  readonly document: Promise<PiecedDocument>;
}

export function createV3Documents(catalog: Catalog): V3Documents {
  const kept = new Map<string, Kept>();
  return {
    get(group, version) {
      const name = `${group}/${version}`;
      const kinds = catalog.ofGroupVersion(group, version);
      const known = kept.get(name);
      if (known !== undefined && isSame(known.kinds, kinds)) return known.document;
      forgetGone();
      // Requests that arrive while it is being made wait for the same document.
      const document = make(catalog, group, version);
      kept.set(name, { kinds, document });
      document.catch(() => kept.delete(name));
      return document;
    },
  };

  /** Removes the documents of definitions that no longer exist. */
  function forgetGone(): void {
    for (const name of kept.keys()) {
      const at = name.lastIndexOf("/");
      if (catalog.ofGroupVersion(name.slice(0, at), name.slice(at + 1)).length === 0) kept.delete(name);
    }
  }
}

function isSame(a: readonly BoundKind[], b: readonly BoundKind[]): boolean {
  return a.length === b.length && a.every((kind, index) => kind === b[index]);
}

async function make(catalog: Catalog, group: SpokenGroup, version: string): Promise<PiecedDocument> {
  const { buildOpenApiV3 } = await import("../../machinery/openapi/v3.ts");
  await nextTimeSlice(); // the index requests all of them in a row
  const document = await inTimeSlices(buildOpenApiV3(catalog, group, version));
  await nextTimeSlice();
  const body = Buffer.from(JSON.stringify(document));
  const etag = `"${createHash("sha256").update(body).digest("hex").toUpperCase()}"`;
  return { pieces: [body], bytes: body.length, etag };
}
