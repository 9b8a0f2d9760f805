/** Sends recorded requests again, to another server, in their order. */

import type { JournalEntry, ReplayedRequest } from "./contract.ts";

/** Longer bodies are cut off when they are recorded, and cannot be sent again. */
export const bodyCharsMax = 4_096;

const methods: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

/** Writes alone: reads change nothing, and watches would not end. `code` 0: it could not be sent, because its body was cut off or has hidden values. */
export async function replay(
  entries: readonly JournalEntry[],
  send: (path: string, init: RequestInit) => Promise<Response>,
): Promise<readonly ReplayedRequest[]> {
  const replayed: ReplayedRequest[] = [];
  for (const entry of entries) {
    const method = methods[entry.verb];
    if (method === undefined) continue;
    const { body, contentType } = entry;
    const isWhole = body === undefined || (body.length < bodyCharsMax && !entry.isRedacted);
    if (!isWhole || contentType?.includes("protobuf")) {
      replayed.push({ entry, code: 0 });
      continue;
    }
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    const answer = await send(entry.target, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.arrayBuffer();
    replayed.push({ entry, code: answer.status });
  }
  return replayed;
}
