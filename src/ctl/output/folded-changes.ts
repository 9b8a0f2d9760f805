/** Changes with what only reported a status folded: what people and controllers wanted stands out. */

import { type Json, list, text } from "../json.ts";

/** How many of those who reported are named. */
const namedMax = 3;

/** A change that is shown, or how many updates of a status lie between two of them. */
type FoldedRow =
  | { readonly change: Json }
  | { readonly folded: { readonly updates: number; readonly objects: number; readonly by: readonly string[] } };

/** Whether it changed a status and nothing else. */
export function isOfStatus(change: Json): boolean {
  if (text(change, "operation") !== "update") return false;
  if (text(change, "subresource") === "status") return true;
  const fields = list(change, "fields");
  return fields.length > 0 && fields.every((field) => /^status\b/.test(text(field, "path")));
}

/** In the order of the changes; the newest status updates are folded too. */
export function fold(changes: readonly Json[]): FoldedRow[] {
  const rows: FoldedRow[] = [];
  let run: Json[] = [];
  const flush = () => {
    if (run.length > 0) rows.push({ folded: summaryOf(run) });
    run = [];
  };
  for (const change of changes) {
    if (isOfStatus(change)) run.push(change);
    else {
      flush();
      rows.push({ change });
    }
  }
  flush();
  return rows;
}

function summaryOf(run: readonly Json[]): Extract<FoldedRow, { folded: unknown }>["folded"] {
  const count = new Map<string, number>();
  for (const change of run) {
    const name = reporterOf(change);
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  const by = [...count].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return { updates: run.length, objects: new Set(run.map(objectOf)).size, by };
}

const objectOf = (change: Json): string =>
  ["group", "resource", "namespace", "name"].map((member) => text(change, "object", member)).join("/");

/** "replicaset-controller" of system:serviceaccount:kube-system:replicaset-controller, "node one" of system:node:one. */
function reporterOf(change: Json): string {
  const user = text(change, "user");
  const node = /^system:node:(.+)$/.exec(user);
  if (node !== null) return `node ${node[1]}`;
  return /^system:/.test(user) ? user.slice(user.lastIndexOf(":") + 1) : user;
}

/** "14 status updates of 3 objects by node one, replicaset-controller". */
export function foldedText({ updates, objects, by }: Extract<FoldedRow, { folded: unknown }>["folded"]): string {
  const named = by.slice(0, namedMax).join(", ");
  const others = by.length > namedMax ? ` and ${by.length - namedMax} more` : "";
  const what = updates === 1 ? "1 status update" : `${updates} status updates`;
  return `${what}${objects > 1 ? ` of ${objects} objects` : ""} by ${named}${others}`;
}
