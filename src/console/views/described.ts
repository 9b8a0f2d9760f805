/** The schemas of the server for an editor: read once, and absent until then. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { apiVersionOf } from "../../client/requests/address.ts";
import { readSchemas, type Schemas } from "../server/schemas.ts";
import type { Described } from "../state/completion.ts";
import { documentsIn } from "../state/documents.ts";
import { type Problem, schemaProblems } from "../state/problems.ts";
import type { Page } from "./page.ts";

/** Undefined: not yet, or the server does not publish them. */
export function useDescribed({ connection, discovery }: Page): Described | undefined {
  const [schemas, setSchemas] = useState<Schemas | undefined>(undefined);
  useEffect(() => {
    // Without schemas the editor is a text field.
    readSchemas(connection).then(setSchemas, () => undefined);
  }, []);
  return useMemo(() => {
    if (schemas === undefined) return undefined;
    return {
      schemas,
      schemaOf({ apiVersion, kind }) {
        const resource = discovery.byKind(apiVersion, kind);
        return resource === undefined ? undefined : schemas.of(resource);
      },
      kinds: discovery.resources
        .filter(({ verbs }) => verbs.includes("create"))
        .map((resource) => ({ apiVersion: apiVersionOf(resource), kind: resource.kind })),
    };
  }, [schemas, discovery]);
}

/** What the schemas have against a text. */
export function useSchemaProblems(text: string, described: Described | undefined): readonly Problem[] {
  return useMemo(() => {
    if (described === undefined) return [];
    return documentsIn(text).flatMap((document) => {
      const schema = described.schemaOf(document);
      return schema === undefined ? [] : schemaProblems(document, described.schemas, schema);
    });
  }, [text, described]);
}
