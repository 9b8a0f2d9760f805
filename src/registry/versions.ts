/** Parses resourceVersion and resourceVersionMatch of a query: which state a read requests. */

import type { Family } from "../machinery/schema/catalog.ts";
import { type FieldError, forbidden, notSupported } from "../machinery/status/field-error.ts";
import { badRequest, invalidObject, StatusError } from "../machinery/status/status.ts";
import type { RegistryListQuery } from "./contract/registry.ts";
import { optionsOf } from "./subjects.ts";

const versionMax = 2n ** 63n - 1n;
const digits = /^(?:0|[1-9][0-9]{0,18})$/;

/** Undefined: there is none. Anything but a plain decimal number is refused, so that it cannot be misread. */
export function parseVersion(text: string | undefined, what = "resourceVersion"): bigint | undefined {
  if (text === undefined || text === "") return undefined;
  if (digits.test(text)) {
    const version = BigInt(text);
    if (version <= versionMax) return version;
  }
  throw badRequest(`${what} must be a resourceVersion from this server, not ${JSON.stringify(text.slice(0, 64))}`);
}

/** Which state a list shows. */
type Wanted =
  /** Everything written before the request. */
  | { readonly state: "newest" }
  /** The state in the cache. */
  | { readonly state: "any" }
  | { readonly state: "notOlderThan"; readonly version: bigint }
  | { readonly state: "exactly"; readonly version: bigint }
  /** What a continue token says. */
  | { readonly state: "continued"; readonly token: string };

/** The table of the specification: resourceVersion x resourceVersionMatch x paging. */
export function wantedState(family: Family, query: RegistryListQuery): Wanted {
  checkMatch(family, query, false);
  const version = parseVersion(query.resourceVersion);
  if (query.continue) {
    if (version !== undefined && version !== 0n) {
      throw badRequest("resourceVersion must not be given together with continue");
    }
    return { state: "continued", token: query.continue };
  }
  if (query.atTime && version !== undefined) throw badRequest("resourceVersion must not be given together with atTime");
  if (version === undefined) return { state: "newest" };
  if (version === 0n) return { state: "any" };
  const paged = (query.limit ?? 0) > 0;
  const exact = query.resourceVersionMatch === "Exact" || (!query.resourceVersionMatch && paged);
  return { state: exact ? "exactly" : "notOlderThan", version };
}

export function checkMatch(family: Family, query: RegistryListQuery, watch: boolean): void {
  const match = query.resourceVersionMatch;
  if (family.environment.has("initialEvents")) {
    const errors = watch ? watchProblems(query, family) : [...listProblems(query, false), ...initialProblems(query)];
    if (errors.length > 0) throw invalidObject(optionsOf(family, "ListOptions"), "", errors);
    return;
  }
  if (!match) return;
  const errors = listProblems(query, watch);
  if (errors.length > 0) throw invalidObject(optionsOf(family, "ListOptions"), "", errors);
}

export const hasWatchLists = ({ environment }: Family): boolean => environment.gates.enabled("WatchList");

const initialProblems = ({ sendInitialEvents }: RegistryListQuery): FieldError[] =>
  sendInitialEvents === undefined ? [] : [forbidden("sendInitialEvents", "must not be given for a list")];

/** The rules for watches where watch lists are known. */
function watchProblems(
  { resourceVersionMatch: match, sendInitialEvents, continue: token }: RegistryListQuery,
  family: Family,
): FieldError[] {
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (token && family.environment.has("pagelessWatches"))
    errors.push(forbidden("continue", "must not be given for a watch"));
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(forbidden(field, "must be NotOlderThan if sendInitialEvents is given"));
  if (sendInitialEvents !== undefined && !hasWatchLists(family))
    errors.push(forbidden("sendInitialEvents", "must not be given while the feature gate WatchList is off"));
  if (!match) return errors;
  if (sendInitialEvents === undefined) errors.push(forbidden(field, "must not be given without sendInitialEvents"));
  if (match !== "NotOlderThan") errors.push(notSupported(field, match, ["NotOlderThan"]));
  return errors;
}

function listProblems(query: RegistryListQuery, watch: boolean): FieldError[] {
  const match = query.resourceVersionMatch;
  if (!match) return [];
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (watch) errors.push(forbidden(field, "resourceVersionMatch is forbidden for watch"));
  if (!query.resourceVersion)
    errors.push(forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  if (query.continue) errors.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
  if (match !== "Exact" && match !== "NotOlderThan") errors.push(notSupported(field, match, ["Exact", "NotOlderThan"]));
  if (match === "Exact" && query.resourceVersion === "0") {
    errors.push(forbidden(field, `resourceVersionMatch is forbidden to be "Exact" for resourceVersion "0"`));
  }
  return errors;
}

const retryAfterSeconds = 1;

export function tooLargeVersion(version: bigint, reached: bigint): StatusError {
  const message = `Too large resource version: ${version}, current: ${reached}`;
  return new StatusError("Timeout", message, {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds,
    },
  });
}
