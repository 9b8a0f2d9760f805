/** The server as it was: reads through this connection are of one moment, and nothing can be changed. */

import type { JsonRequest, Sender } from "../../client/requests/send.ts";
import type { Connection } from "./connection.ts";

/** No moment of the past, whatever the clocks say: who knows `atTime` refuses it. */
const neverYet = "9999-12-31T23:59:59Z";

/** `at`: a time as the server reads it. */
export function pastConnection(connection: Connection, at: string): Connection {
  const asked = new Map<string, Promise<boolean>>();
  /** Whether a group has a past: another server, which answers for one, may know of none and would answer with what there is now. */
  const hasPast = (path: string): Promise<boolean> => {
    const [, group = ""] = /^\/apis\/([^/]+)\//.exec(path) ?? [];
    if (group === "") return Promise.resolve(true);
    const known =
      asked.get(group) ??
      connection.send.open(moved(path, neverYet), { accepts: () => true }).then(async (answer) => {
        await answer.text();
        return !answer.ok;
      });
    asked.set(group, known);
    return known;
  };
  const { send } = connection;
  const ofThen =
    <T>(ask: (path: string, request?: JsonRequest) => Promise<T>) =>
    async (path: string, request: JsonRequest = {}): Promise<T> => {
      if (!isRead(path, request)) return ask(path, request);
      if (isLive(path)) throw new Error("it is not kept, and can only be seen now");
      if (!(await hasPast(path))) throw new Error("the server that answers for this group keeps no history");
      return ask(moved(path, at), request);
    };
  const past: Sender = {
    codec: send.codec,
    json: ofThen(send.json),
    answer: ofThen(send.answer),
    open: ofThen(send.open),
  };
  return { ...connection, at, facts: { ...connection.facts, isReadOnly: true }, send: past, streams: undefined };
}

/** Objects of the API; reviews are posted, and what the server serves is what it serves now. */
const isRead = (path: string, { method, body }: JsonRequest): boolean =>
  (method ?? (body === undefined ? "GET" : "POST")) === "GET" &&
  /^\/(api|apis\/[^/]+)\/[^/?]+\/[^?]/.test(path) &&
  !path.startsWith("/apis/history.");

const isLive = (path: string): boolean => /\/(log|exec|attach|proxy|portforward)(\?|$)/.test(path);

const moved = (path: string, at: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}atTime=${encodeURIComponent(at)}`;
