/** Records the requests of one server, the newest ones, as long as it is on. */

import type { SeenRequest } from "../../http/contract/interventions.ts";
import { overrideExchange } from "../../http/contract/override-exchange.ts";
import { bothTraces, createAdmissionTrace, type TracedEntry } from "./admission-trace.ts";
import type { Journal, JournalEntry, JournalQuery } from "./contract.ts";
import { type ConfidentialFields, redactBody, redactTarget } from "./redact.ts";
import { bodyCharsMax, replay } from "./replay.ts";
import { leastRoles } from "./role.ts";

/** How many requests are kept. */
export const requestsMax = 10_000;
/** How many requests a message names. */
const namedMax = 5;
const quietMsDefault = 10_000;

type Entry = { -readonly [K in keyof JournalEntry]: JournalEntry[K] } & TracedEntry;

export interface OpenJournal extends Journal {
  readonly isActive: boolean;
  /** Calls `heard` when such a request is answered, and for a watch also when it begins, until the returned function is called. */
  listen(query: JournalQuery, heard: (entry: JournalEntry) => void): () => void;
  enter(request: SeenRequest): void;
  /** `code`: what was answered; undefined: what the exchange says. */
  leave(request: SeenRequest, code?: number): void;
}

interface JournalOptions {
  readonly isOn: boolean;
  now(): number;
  /** The version of roles, in the vocabulary of the server. */
  readonly rolesApiVersion: string;
  readonly confidential: ConfidentialFields;
}

export function createJournal({ isOn, now, rolesApiVersion, confidential }: JournalOptions): OpenJournal {
  let isActive = isOn;
  let entries: Entry[] = [];
  let numbered = 0;
  const listeners = new Set<{ readonly query: JournalQuery; heard(entry: JournalEntry): void }>();
  const open = new Map<SeenRequest, { readonly entry: Entry; readonly beganMs: number }>();

  const announce = (entry: Entry) => {
    for (const { query, heard } of listeners) if (isMatch(query, entry)) heard(entry);
  };

  const find = (query: JournalQuery): Entry[] => {
    if (!isActive)
      throw new Error("the journal is off; create the server with { journal: true }, or call journal.start()");
    return entries.filter((entry) => isMatch(query, entry));
  };

  return {
    get isActive() {
      return isActive;
    },
    start() {
      isActive = true;
    },
    clear() {
      entries = [];
    },
    enter(request) {
      const { exchange } = request;
      const fields = confidential.ofResource(request.group, request.resource);
      const entry: Entry = {
        number: request.verb === "watch" ? ++numbered : 0,
        ...factsOf(request),
        target: redactTarget(exchange.target, request.subresource === "proxy" || request.verb === "proxy"),
        code: 0,
        atMs: now(),
        durationMs: undefined,
        body: undefined,
        isRedacted: false,
        contentType: exchange.header("content-type"),
        userAgent: exchange.header("user-agent") ?? "",
        admission: [],
        changes: undefined,
      };
      const noted = createAdmissionTrace(entry, (object) => [
        ...fields,
        ...confidential.ofKind(object?.apiVersion ?? "", object?.kind ?? ""),
      ]);
      request.trace = request.trace === undefined ? noted : bothTraces(request.trace, noted);
      entries.push(entry);
      // Cut off from time to time, so that a request does not move all the others.
      if (entries.length > 2 * requestsMax) entries = entries.slice(-requestsMax);
      if (entry.number > 0) announce(entry);
      open.set(request, { entry, beganMs: performance.now() });
      request.exchange = overrideExchange(exchange, {
        async readBody(bytesMax, onBytes) {
          const body = await exchange.readBody(bytesMax, onBytes);
          if (body.length > 0) {
            const redacted = redactBody(body, fields, confidential);
            entry.isRedacted = redacted !== undefined;
            const text = redacted ?? body.subarray(0, 4 * bodyCharsMax).toString("utf8");
            entry.body = text.slice(0, bodyCharsMax);
          }
          return body;
        },
      });
    },
    leave(request, code = request.exchange.status) {
      const found = open.get(request);
      if (found === undefined) return; // it began before the journal did
      open.delete(request);
      found.entry.code = code;
      if (found.entry.number === 0) found.entry.number = ++numbered;
      found.entry.durationMs = performance.now() - found.beganMs;
      announce(found.entry);
    },
    listen(query, heard) {
      const listener = { query, heard };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    requests: (query = {}) => find(query).slice(-requestsMax),
    async quiet({ forMs, timeoutMs = quietMsDefault, ...query }) {
      const endMs = performance.now() + timeoutMs;
      let count = find(query).length;
      for (let sinceMs = performance.now(); performance.now() - sinceMs < forMs; ) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(forMs, 5)));
        const found = find(query);
        if (found.length !== count) sinceMs = performance.now();
        count = found.length;
        if (performance.now() < endMs || performance.now() - sinceMs >= forMs) continue;
        const last = found.slice(-namedMax).map(({ user, verb, path, code }) => `${user} ${verb} ${path} ${code}`);
        throw new Error(
          `there were requests again and again for ${timeoutMs} ms, the last of ${count}: ${last.join("; ")}`,
        );
      }
    },
    replay: async (send, query = {}) => replay(find(query), send),
    role(user) {
      const name = user.replace(/[^a-zA-Z0-9.-]+/g, "-").toLowerCase();
      return leastRoles(find({ user }), { apiVersion: rolesApiVersion, name });
    },
  };
}

function factsOf({ user, verb, group, version, resource, subresource, namespace, name, path }: SeenRequest) {
  return { user: user.name, verb, group, version, resource, subresource, namespace, name, path };
}

function isMatch(query: JournalQuery, entry: Entry): boolean {
  const isOneOf = (wanted: string | readonly string[] | undefined, ...values: string[]) =>
    wanted === undefined || (typeof wanted === "string" ? [wanted] : wanted).some((each) => values.includes(each));
  return (
    isOneOf(query.user, entry.user) &&
    isOneOf(query.verb, entry.verb) &&
    isOneOf(query.resource, entry.resource, `${entry.resource}.${entry.group}`) &&
    isOneOf(query.subresource, entry.subresource) &&
    isOneOf(query.namespace, entry.namespace) &&
    isOneOf(query.name, entry.name)
  );
}
