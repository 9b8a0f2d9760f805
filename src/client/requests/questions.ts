/** Makes sure that a server knows `where` and `orderBy` before it is asked: one that does not would answer with all objects, or delete them. */

import { withQuery } from "./address.ts";
import type { Sender } from "./send.ts";

/** A server that knows questions sends it with the answer to each. */
export const planHeader = "orch-plan";

/** A connection goes to one server. */
const known = new WeakSet<Sender>();

/**
 * The server ignores questions.
 * @example
 * if (error instanceof QuestionsUnknown) console.error("this server is not orch, or an older one");
 */
export class QuestionsUnknown extends Error {
  constructor() {
    super("the server does not know where and orderBy, and would answer as if they were absent");
    this.name = "QuestionsUnknown";
  }
}

/** Asks the collection at `path` for one name, once for a connection. Throws QuestionsUnknown. */
export async function requireQuestions(send: Sender, path: string, signal?: AbortSignal): Promise<void> {
  if (known.has(send)) return;
  const answer = await send.open(withQuery(path, { limit: 1, select: "metadata.name" }), {
    accept: "application/json",
    signal,
  });
  await answer.text();
  if (answer.headers.get(planHeader) === null) throw new QuestionsUnknown();
  known.add(send);
}

export const asks = ({
  where,
  orderBy,
}: {
  readonly where?: string | undefined;
  readonly orderBy?: string | undefined;
}) => where !== undefined || orderBy !== undefined;
