/** The options in the query of a request or, for deletes, in its body: read and checked as in v1.21. */

import { fieldManagerBytesMax, isPrintable, validateFieldManager } from "../../machinery/meta/metadata.ts";
import { type FieldErrors, forbidden, noErrors, notSupported, required } from "../../machinery/status/field-error.ts";
import { badRequest, invalidObject } from "../../machinery/status/status.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { Call } from "../request/call.ts";
import { type Query, queryFlag } from "../request/query.ts";

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions" | "ListOptions";

export interface WriteQueryOptions {
  readonly dryRun: boolean;
  /** As given; "": use the user agent. */
  readonly fieldManager: string;
  readonly force: boolean | undefined;
  /** The options object that admission reviews show. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Reads the options of create and update from the query. Throws 422; `more` are further problems of the query. */
export function readWriteOptions(
  query: Query,
  kind: "CreateOptions" | "UpdateOptions",
  metaGroup: string,
  more: FieldErrors = noErrors,
): WriteQueryOptions {
  return query.empty ? noOptions(kind, metaGroup) : readOptions(query, { kind, metaGroup, more }, () => noErrors);
}

/** Reads the options of a patch: an apply must name its manager, and only an apply may have `force`. */
export function readPatchOptions(
  query: Query,
  isApply: boolean,
  metaGroup: string,
  more: FieldErrors = noErrors,
): WriteQueryOptions {
  return readOptions(query, { kind: "PatchOptions", metaGroup, more }, ({ fieldManager, force }) => {
    if (isApply) return fieldManager === "" ? [required("fieldManager", "is required for apply patch")] : [];
    return force === undefined ? [] : [forbidden("force", "may not be specified for non-apply patch")];
  });
}

type Given = Pick<WriteQueryOptions, "fieldManager" | "force">;

function readOptions(
  query: Query,
  { kind, metaGroup, more }: { readonly kind: OptionsKind; readonly metaGroup: string; readonly more: FieldErrors },
  ownProblems: (given: Given) => FieldErrors,
): WriteQueryOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const force = query.has("force") ? queryFlag(query.get("force")) : undefined;
  throwInvalid(kind, metaGroup, [
    ...ownProblems({ fieldManager, force }),
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...dryRunProblems(dryRun),
    ...more,
  ]);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    force,
    shown: {
      kind,
      apiVersion: `${metaGroup}/v1`,
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(kind === "PatchOptions" && force !== undefined ? { force } : {}),
      ...(fieldManager === "" ? {} : { fieldManager }),
    },
  };
}

function noOptions(kind: OptionsKind, metaGroup: string): WriteQueryOptions {
  return { dryRun: false, fieldManager: "", force: undefined, shown: { kind, apiVersion: `${metaGroup}/v1` } };
}

export function dryRunProblems(dryRun: readonly string[]): FieldErrors {
  return dryRun.some((value) => value !== "All") ? [notSupported("dryRun", dryRun, ["All"])] : [];
}

export function throwInvalid(kind: OptionsKind, metaGroup: string, problems: FieldErrors): void {
  if (problems.length > 0) throw invalidObject({ group: metaGroup, kind }, "", problems);
}

/** The manager of a request that does not name one: the user agent up to its version. */
function managerOf(options: WriteQueryOptions, exchange: Exchange): string {
  if (options.fieldManager !== "") return options.fieldManager;
  const agent = exchange.header("user-agent") ?? "";
  const slash = agent.indexOf("/");
  let manager = "";
  let bytes = 0;
  for (const character of slash < 0 ? agent : agent.slice(0, slash)) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > fieldManagerBytesMax) break;
    manager += character;
  }
  return manager === "" ? "unknown" : manager;
}

/** An integer in the query; undefined: absent. Throws 400 for anything else, including more than 64 bits. */
export function readInteger(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  // Compared exactly: as doubles, 2^63 and the integer before it are equal.
  const value = /^[+-]?[0-9]{1,19}$/.test(text) ? BigInt(text.startsWith("+") ? text.slice(1) : text) : undefined;
  if (value === undefined || value !== BigInt.asIntN(64, value)) throw badRequest(`${name} must be a whole number`);
  return Number(value);
}

/** The context of a write, as the registry and admission need it. */
export function writeContext(call: Call, options: WriteQueryOptions): WriteContext {
  return {
    user: call.user,
    dryRun: options.dryRun,
    fieldManager: managerOf(options, call.exchange),
    warn: (text) => call.warn(text),
    annotate: (key, value) => call.annotate(key, value),
    bytes: call.body?.bytes ?? 0,
    options: options.shown,
    caller: call,
    transaction: call.transaction,
    ...(call.body?.memory === undefined ? {} : { memory: call.body.memory }),
  };
}
