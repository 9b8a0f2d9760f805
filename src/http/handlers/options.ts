/** The options a request carries in its query or, for deletes, in its body: read and checked as v1.21 does. */

import type { FieldError, FieldErrors } from "../../machinery/status/field-error.ts";
import { forbidden, invalid, notSupported, required, tooLong } from "../../machinery/status/field-error.ts";
import { badRequest, invalidObject } from "../../machinery/status/status.ts";
import type { Exchange } from "../contract.ts";
import type { Query } from "../query.ts";
import { queryFlag } from "../query.ts";

export const fieldManagerCharsMax = 128;

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions" | "ListOptions";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** As given; "": take the user agent's. */
  readonly fieldManager: string;
  readonly force: boolean | undefined;
  /** The options object as admission shows it. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Reads the options of create, update and patch from the query. Throws 422. */
export function readWriteOptions(query: Query, kind: OptionsKind, metaGroup: string): WriteOptions {
  if (query.empty) return noOptions(kind, metaGroup);
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const fieldManager = query.get("fieldManager") ?? "";
  const force = query.has("force") ? queryFlag(query.get("force")) : undefined;
  throwInvalid(kind, metaGroup, [...dryRunProblems(dryRun), ...fieldManagerProblems(fieldManager)]);
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

function noOptions(kind: OptionsKind, metaGroup: string): WriteOptions {
  return { dryRun: false, fieldManager: "", force: undefined, shown: { kind, apiVersion: `${metaGroup}/v1` } };
}

/** What only patches may and must say: an apply names its manager, everything else must not be forced. */
export function checkPatchOptions(options: WriteOptions, isApply: boolean, metaGroup: string): void {
  const problems: FieldError[] = [];
  if (isApply && options.fieldManager === "") problems.push(required("fieldManager", "is required for apply patch"));
  if (!isApply && options.force !== undefined) {
    problems.push(forbidden("force", "may not be specified for non-apply patch"));
  }
  throwInvalid("PatchOptions", metaGroup, problems);
}

export function dryRunProblems(dryRun: readonly string[]): FieldErrors {
  return dryRun.some((value) => value !== "All") ? [notSupported("dryRun", dryRun, ["All"])] : [];
}

function fieldManagerProblems(fieldManager: string): FieldErrors {
  const problems: FieldError[] = [];
  if (Buffer.byteLength(fieldManager) > fieldManagerCharsMax) {
    problems.push(tooLong("fieldManager", fieldManager, fieldManagerCharsMax));
  }
  if (!isPrintable(fieldManager)) {
    problems.push(invalid("fieldManager", fieldManager, "must contain printable characters only"));
  }
  return problems;
}

export function throwInvalid(kind: OptionsKind, metaGroup: string, problems: FieldErrors): void {
  if (problems.length > 0) throw invalidObject({ group: metaGroup, kind }, "", problems);
}

function isPrintable(text: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) && !/(?! )\p{Zs}/u.test(text);
}

/** Who owns what a request writes when it does not say so: the user agent up to its version. */
export function managerOf(options: WriteOptions, exchange: Exchange): string {
  if (options.fieldManager !== "") return options.fieldManager;
  const agent = exchange.header("user-agent") ?? "";
  const slash = agent.indexOf("/");
  let manager = "";
  let bytes = 0;
  for (const character of slash < 0 ? agent : agent.slice(0, slash)) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > fieldManagerCharsMax) break;
    manager += character;
  }
  return manager === "" ? "unknown" : manager;
}

/** A whole number of the query; undefined: not there. Throws 400 for anything else, also for more than 64 bits. */
export function readInteger(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  // Compared exactly: as a double 2^63 and the number before it are the same.
  const value = /^[+-]?[0-9]{1,19}$/.test(text) ? BigInt(text.startsWith("+") ? text.slice(1) : text) : undefined;
  if (value === undefined || value !== BigInt.asIntN(64, value)) throw badRequest(`${name} must be a whole number`);
  return Number(value);
}
