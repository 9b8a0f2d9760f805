/** Which user the claims of a token stand for, by the mappings and rules of one issuer. */

import type { JwtClaims } from "../../authn/jwt.ts";
import type { Log } from "../../base/log.ts";
import type { Release } from "../../base/release.ts";
import { run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import { getOwn } from "../../machinery/json/json-value.ts";
import { isDomainPrefixedPath } from "../../machinery/meta/names.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { JwtConfiguration } from "./authentication-config.ts";
import {
  type AccessExpression,
  accessCostMax,
  type CostBudget,
  compileClaimMapping,
  compileClaimRule,
  compileUserRule,
  type Evaluated,
} from "./expressions.ts";

interface MapperOptions {
  /** Extra keys of its domains are the server's own. */
  readonly vocabulary: Vocabulary;
  readonly release: Release;
  readonly log: Log;
}

/** A text, or a list of texts. Users and uids must not be lists, even of one text. */
type Mapping = AccessExpression<JwtClaims, string | readonly string[]>;
type Check<T> = (given: T, budget: CostBudget) => Steps<Error | undefined>;

/** Throws an Error that says which entry is wrong. The result returns undefined for claims that are refused. */
export async function createClaimMapper(
  { claimMappings: mappings, claimValidationRules = [], userValidationRules = [] }: JwtConfiguration,
  where: string,
  { release, log, vocabulary }: MapperOptions,
): Promise<(claims: JwtClaims) => User | undefined | Promise<User | undefined>> {
  const slice = new TimeSlice();
  const at = `${where}.claimMappings`;
  const name = readMapping(mappings.username, `${at}.username`, release);
  const groups = mappings.groups && readMapping(mappings.groups, `${at}.groups`, release);
  const uid = mappings.uid && readMapping({ prefix: "", ...mappings.uid }, `${at}.uid`, release);
  const extra = await readExtra(mappings.extra ?? [], `${at}.extra`, release, slice);
  const reserved = reservedDomains(vocabulary);
  for (const key of extra.keys())
    if (reserved.some((domain) => `.${key.split("/")[0]}`.endsWith(`.${domain}`)))
      throw new Error(`${at}.extra: the key "${key}" is in a domain of the server: ${reserved.join(", ")}`);
  requireDistinct(claimValidationRules, `${where}.claimValidationRules`);
  requireDistinct(userValidationRules, `${where}.userValidationRules`);
  const claimRules: Check<JwtClaims>[] = [];
  for (const [index, rule] of claimValidationRules.entries()) {
    claimRules.push(readClaimRule(rule, `${where}.claimValidationRules[${index}]`, release));
    if (slice.isLong) await slice.next();
  }
  const userRules: Check<object>[] = [];
  for (const [index, { expression, message }] of userValidationRules.entries()) {
    const compiled = within(`${where}.userValidationRules[${index}]`, () => compileUserRule(expression, release));
    userRules.push(checked(compiled, message || `"${expression}" does not hold`));
    if (slice.isLong) await slice.next();
  }
  requireVerifiedEmail({ mappings, claimValidationRules }, `${at}.username`);

  function* identify(claims: JwtClaims): Steps<Evaluated<User>> {
    const budget: CostBudget = { left: accessCostMax };
    for (const rule of claimRules) {
      const problem = yield* rule(claims, budget);
      if (problem !== undefined) return problem;
    }
    const username = oneText(yield* name(claims, budget), "user name");
    if (username instanceof Error) return username;
    if (username === "") return new Error("the claims name no user");
    const found = groups === undefined ? [] : yield* groups(claims, budget);
    const uniqueId = oneText(uid === undefined ? [] : yield* uid(claims, budget), "uid");
    if (found instanceof Error) return found;
    if (uniqueId instanceof Error) return uniqueId;
    const more = new Map<string, readonly string[]>();
    for (const [key, mapping] of extra) {
      const values = yield* mapping(claims, budget);
      if (values instanceof Error) return values;
      if (values.length > 0) more.set(key, textsOf(values));
    }
    const user: User = { name: username, uid: uniqueId, groups: textsOf(found), extra: more };
    const shown = { username: user.name, uid: user.uid, groups: user.groups, extra: Object.fromEntries(more) };
    for (const rule of userRules) {
      const problem = yield* rule(shown, budget);
      if (problem !== undefined) return problem;
    }
    return user;
  }
  const told = (user: Evaluated<User>, claims: JwtClaims): User | undefined => {
    if (!(user instanceof Error)) return user;
    log.info("a token was refused", { issuer: String(claims["iss"]), reason: user.message });
    return undefined;
  };
  return (claims) => {
    const user = run(identify(claims), new TimeSlice());
    return user instanceof Promise ? user.then((made) => told(made, claims)) : told(user, claims);
  };
}

interface ClaimOrExpression {
  readonly claim?: string | undefined;
  readonly prefix?: string | undefined;
  readonly expression?: string | undefined;
}

function readMapping(
  { claim = "", prefix, expression = "" }: ClaimOrExpression,
  where: string,
  release: Release,
): Mapping {
  if ((claim === "") === (expression === ""))
    throw new Error(`${where}: exactly one of claim and expression must be given`);
  if (expression !== "") {
    if (prefix) throw new Error(`${where}.prefix: cannot be given together with expression`);
    return within(`${where}.expression`, () => compileClaimMapping(expression, release));
  }
  if (prefix === undefined) throw new Error(`${where}.prefix: must be given with claim; it may be ""`);
  return plain((claims) => {
    if (claim === "email" && Object.hasOwn(claims, "email_verified") && claims["email_verified"] !== true)
      return new Error("the email is not verified");
    const value = getOwn(claims, claim);
    if (value === undefined || value === null || value === "") return [];
    if (typeof value === "string") return prefix + value;
    const list = Array.isArray(value) ? value : [value];
    if (!list.every((one): one is string => typeof one === "string"))
      return new Error(`the claim ${claim} is neither a text nor a list of texts`);
    return list.map((one) => prefix + one);
  });
}

/** What needs no steps. */
function plain<Given, T>(make: (given: Given) => T): (given: Given) => Steps<T> {
  // biome-ignore lint/correctness/useYield: it is one step
  return function* (given) {
    return make(given);
  };
}

async function readExtra(
  given: readonly { readonly key: string; readonly valueExpression: string }[],
  where: string,
  release: Release,
  slice: TimeSlice,
): Promise<ReadonlyMap<string, Mapping>> {
  const extra = new Map<string, Mapping>();
  for (const [index, { key, valueExpression }] of given.entries()) {
    const at = `${where}[${index}]`;
    if (isDomainPrefixedPath(key).length > 0 || key !== key.toLowerCase())
      throw new Error(`${at}.key: must be a domain and a path in lower case, not "${key}"`);
    if (extra.has(key)) throw new Error(`${at}.key: "${key}" is used twice`);
    extra.set(
      key,
      within(`${at}.valueExpression`, () => compileClaimMapping(valueExpression, release)),
    );
    if (slice.isLong) await slice.next();
  }
  return extra;
}

function readClaimRule(
  rule: NonNullable<JwtConfiguration["claimValidationRules"]>[number],
  where: string,
  release: Release,
): Check<JwtClaims> {
  const { claim = "", requiredValue = "", expression = "", message = "" } = rule;
  if ((claim === "") === (expression === ""))
    throw new Error(`${where}: exactly one of claim and expression must be given`);
  if (expression !== "") {
    if (requiredValue !== "") throw new Error(`${where}.requiredValue: cannot be given together with expression`);
    return within(`${where}.expression`, () =>
      checked(compileClaimRule(expression, release), message || `"${expression}" does not hold`),
    );
  }
  if (message !== "") throw new Error(`${where}.message: cannot be given together with claim`);
  return plain((claims) =>
    getOwn(claims, claim) === requiredValue ? undefined : new Error(`the claim ${claim} has another value`),
  );
}

/** The server itself adds extra keys of these domains: which credential was used, and the node of a token. */
const reservedDomains = (vocabulary: Vocabulary): readonly string[] => {
  const groups = vocabulary.group("authentication.orch.io").split(".").slice(-2).join(".");
  const [keys = groups] = vocabulary.word("authentication.orch.io/x").split("/");
  return [...new Set([groups, keys.split(".").slice(-2).join(".")])];
};

interface Rule {
  readonly claim?: string | undefined;
  readonly expression?: string | undefined;
}

function requireDistinct(rules: readonly Rule[], where: string): void {
  const seen = new Set<string>();
  for (const [index, { claim = "", expression = "" }] of rules.entries()) {
    const rule = claim === "" ? `the expression "${expression}"` : `the claim "${claim}"`;
    if (seen.has(rule)) throw new Error(`${where}[${index}]: ${rule} is used twice`);
    seen.add(rule);
  }
}

const textsOf = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

/** "": there is none. */
function oneText(value: Evaluated<string | readonly string[]>, what: string): Evaluated<string> {
  if (typeof value === "string" || value instanceof Error) return value;
  return value.length === 0 ? "" : new Error(`the ${what} is a list`);
}

/** A name that is an address may be claimed by anyone unless the issuer has verified it. */
function requireVerifiedEmail(
  { mappings, claimValidationRules }: { mappings: JwtConfiguration["claimMappings"]; claimValidationRules: object },
  where: string,
): void {
  if (!/\bclaims\.email\b(?!_)/.test(mappings.username.expression ?? "")) return;
  const others = JSON.stringify([mappings.username, mappings.extra ?? [], claimValidationRules]);
  if (!others.includes("claims.email_verified"))
    throw new Error(`${where}.expression: claims.email may be used only where a rule looks at claims.email_verified`);
}

/** Undefined: the rule holds. */
function checked<T>(rule: AccessExpression<T, boolean>, message: string): Check<T> {
  return function* (given, budget) {
    const holds = yield* rule(given, budget);
    if (holds instanceof Error) return holds;
    return holds ? undefined : new Error(message);
  };
}

function within<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
