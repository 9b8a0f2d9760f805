/** Expectations of objects, answers and requests, whose failures say what was there instead. */

import { AssertionError } from "node:assert";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { JournalEntry, JournalQuery } from "../../testkit/journal/contract.ts";
import type { AnObject, NamedKind, UntilOptions } from "../../testkit/until.ts";
import type { OrchServer, RecordedChange } from "../library/options.ts";
import { differences, isSubset, named } from "./subset.ts";

/** How many requests a message names. */
const namedMax = 10;

/**
 * Waits until the object has everything that `expected` has, and resolves with it. Members that `expected` does not name are not compared;
 * lists must have the same length.
 * @example
 * await expectObject(server, Deployment, "web", { status: { readyReplicas: 3 } });
 */
export async function expectObject<T extends AnObject = ApiObject>(
  server: OrchServer,
  kind: NamedKind<T> | string,
  name: string,
  expected: object = {},
  options: UntilOptions = {},
): Promise<T> {
  let seen: T | undefined;
  try {
    return await server.until<T>(
      kind,
      name,
      (object) => {
        seen = object;
        return isSubset(expected, object);
      },
      options,
    );
  } catch (cause) {
    if (seen === undefined) throw cause;
    const title = `${typeof kind === "string" ? kind : kind.kind} "${name}" is not as expected`;
    const message = [title, ...differences(expected, seen), `(${(cause as Error).message.split("; last seen")[0]})`]; // until throws Errors
    const actual = named(expected, seen); // a runner shows the difference, and the rest of the object would hide it
    throw new AssertionError({ message: message.join("\n  "), actual, expected, operator: "expectObject" });
  }
}

/**
 * Waits until the object does not exist.
 * @example
 * await expectGone(server, Pod, "web");
 */
export async function expectGone(
  server: OrchServer,
  kind: NamedKind | string,
  name: string,
  options?: UntilOptions,
): Promise<void> {
  await server.untilGone(kind, name, options);
}

/**
 * Resolves with the body as JSON if the answer has the status `code`. The failure shows what the server said.
 * @example
 * const map = await expectAnswer<ConfigMap>(server.fetch("/api/v1/namespaces/default/configmaps/a"));
 */
export async function expectAnswer<T = unknown>(answer: Response | Promise<Response>, code = 200): Promise<T> {
  const response = await answer;
  const text = await response.text();
  if (response.status === code) return (text === "" ? undefined : JSON.parse(text)) as T; // the caller names the type
  const said = messageOf(text);
  throw new AssertionError({
    message: `expected the answer ${code}, and it was ${response.status}${said === "" ? "" : `: ${said}`}`,
    actual: response.status,
    expected: code,
    operator: "expectAnswer",
  });
}

/**
 * Throws unless so many requests of the journal match; without a number, at least one. Returns them.
 * @example
 * expectRequests(server, { user: "copies", verb: "update" }, 1);
 */
export function expectRequests(
  server: Pick<OrchServer, "journal">,
  query: JournalQuery,
  count?: number,
): readonly JournalEntry[] {
  const found = server.journal.requests(query);
  if (count === undefined ? found.length > 0 : found.length === count) return found;
  const all = found.length > 0 ? found : server.journal.requests(query.user === undefined ? {} : { user: query.user });
  const title = found.length > 0 ? "they were" : all.length > 0 ? "there were only others" : "there were none at all";
  const lines = all
    .slice(-namedMax)
    .map(({ user, verb, path, code }) => `${user} ${verb} ${path} ${code || "(no answer yet)"}`);
  const more = all.length > namedMax ? [`(the last ${namedMax} of ${all.length})`] : [];
  const wanted = count === undefined ? "a request" : `${count} requests`;
  throw new AssertionError({
    message: [
      `expected ${wanted} with ${JSON.stringify(query)}, and found ${found.length}; ${title}`,
      ...lines,
      ...more,
    ].join("\n  "),
    actual: found.length,
    expected: count ?? 1,
    operator: "expectRequests",
  });
}

/**
 * Throws unless the history of the object is these changes, oldest first; members that are not named are not compared. Returns them. The
 * server needs `history`.
 * @example
 * await expectChanges(server, ConfigMap, "shop/prices", [{ operation: "create" }, { operation: "update", user: "jane" }]);
 */
export async function expectChanges(
  server: Pick<OrchServer, "history">,
  kind: NamedKind | string,
  name: string,
  expected: readonly object[],
): Promise<readonly RecordedChange[]> {
  const at = name.indexOf("/");
  const ref = { namespace: at < 0 ? "default" : name.slice(0, at), name: name.slice(at + 1) };
  const found = (await server.history(kind, ref)).toReversed();
  if (found.length === expected.length && isSubset(expected, found)) return found;
  const lines =
    found.length === expected.length
      ? differences(expected, found)
      : found.slice(-namedMax).map(({ operation, user = "", fields = [] }) => {
          const paths = fields.map(({ path }) => path).join(" ");
          return `${operation} by ${user}${paths === "" ? "" : `: ${paths}`}`;
        });
  throw new AssertionError({
    message: [`expected ${expected.length} changes of "${name}", and there are ${found.length}`, ...lines].join("\n  "),
    actual: found,
    expected,
    operator: "expectChanges",
  });
}

/**
 * What `expect.extend(matchers)` adds to vitest and jest; `declare module "vitest" { interface Matchers<T> extends OrchMatchers<T> {} }`.
 * @example
 * await expect(server).toHaveObject(Pod, "web", { status: { phase: "Running" } }); // after expect.extend(matchers)
 */
export interface OrchMatchers<R = unknown> {
  /** On a server: waits until the object has everything that `expected` has. */
  toHaveObject(kind: NamedKind | string, name: string, expected?: object, options?: UntilOptions): Promise<R>;
  /** On a server: how many requests its journal has; without a number, at least one. */
  toHaveRequested(query: JournalQuery, count?: number): R;
  /** On an answer, or the promise of one: its status. Default: 200. */
  toBeAnswered(code?: number): Promise<R>;
}

interface Outcome {
  readonly pass: boolean;
  message(): string;
}

/**
 * For `expect.extend(matchers)` of vitest and jest; `OrchMatchers` are their types.
 * @example
 * expect.extend(matchers);
 */
export const matchers = {
  toHaveObject: (
    server: OrchServer,
    kind: NamedKind | string,
    name: string,
    expected?: object,
    options?: UntilOptions,
  ) => outcomeOf(() => expectObject(server, kind, name, expected, options), `the server has ${name} as described`),
  toHaveRequested: (server: OrchServer, query: JournalQuery, count?: number): Outcome => {
    try {
      const found = expectRequests(server, query, count);
      return {
        pass: true,
        message: () => `expected other requests than ${found.length} with ${JSON.stringify(query)}`,
      };
    } catch (error) {
      return failed(error);
    }
  },
  /** The answer can still be read afterwards. */
  toBeAnswered: (answer: Response | Promise<Response>, code = 200) =>
    outcomeOf(async () => expectAnswer((await answer).clone(), code), `the answer is ${code}`),
};

/** `met`: what is so if it passes, which a negated expectation did not want. */
async function outcomeOf(check: () => Promise<unknown>, met: string): Promise<Outcome> {
  try {
    await check();
    return { pass: true, message: () => `expected otherwise, but ${met}` };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Outcome {
  if (!(error instanceof Error)) throw error;
  return { pass: false, message: () => error.message };
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }; // a Status, or anything
    return typeof message === "string" ? message : text.slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}
