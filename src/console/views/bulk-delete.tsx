/** Deletes several objects of one kind, after a question with their names. */

import { useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, text } from "../server/json.ts";
import { deleteObject, readObject } from "../server/objects.ts";
import type { Row } from "../server/tables.ts";
import { mayReturn } from "./delete-question.tsx";
import { Dialog } from "./dialog.tsx";
import type { Page } from "./page.ts";

interface BulkDeleteOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly rows: readonly Row[];
  readonly onClose: () => void;
}

/** More names are counted. */
const namesMax = 50;

export function BulkDelete({ page, resource, rows, onClose }: BulkDeleteOptions) {
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [done, setDone] = useState<number | undefined>(undefined);
  const confirm = async () => {
    const failed: string[] = [];
    const deleted: Json[] = [];
    for (const [at, row] of rows.entries()) {
      setDone(at);
      // Read before, so that it can be created again.
      const last = at < namesMax ? await readObject(page.connection, resource, row).catch(() => undefined) : undefined;
      await deleteObject(page.connection, resource, row).then(
        () => last !== undefined && mayReturn(resource, last) && deleted.push(last),
        (error: unknown) => failed.push(`${row.name}: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
    const [first] = deleted;
    if (first !== undefined) {
      const [name, namespace] = [text(first, "metadata", "name"), text(first, "metadata", "namespace")];
      page.writes.made({ what: "Deleted", resource, name, namespace, before: "", deleted });
    }
    if (failed.length === 0) return onClose();
    setDone(rows.length);
    setProblems(failed);
  };
  return (
    <Dialog title={`Delete ${rows.length} ${resource.resource}`} onClose={onClose}>
      <ul class="names">
        {rows.slice(0, namesMax).map(({ key, name, namespace }) => (
          <li key={key}>
            <bdi>{name}</bdi>
            {namespace !== "" && <small> in {namespace}</small>}
          </li>
        ))}
      </ul>
      {rows.length > namesMax && <p>and {rows.length - namesMax} more</p>}
      <p>Objects that they own are deleted with them.</p>
      {problems.length > 0 && (
        <div class="note error" role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      <div class="tools">
        <button type="button" onClick={onClose}>
          {problems.length > 0 ? "Close" : "Cancel"}
        </button>
        {problems.length === 0 && (
          <button type="button" class="danger" disabled={done !== undefined} onClick={() => void confirm()}>
            {done === undefined ? `Delete ${rows.length} objects` : `Deleted ${done} of ${rows.length} …`}
          </button>
        )}
      </div>
    </Dialog>
  );
}
