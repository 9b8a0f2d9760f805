/** Which user the claims of a token stand for, by the mappings and rules of one issuer. */

import type { JwtClaims } from "../../authn/jwt.ts";
import type { Log } from "../../base/log.ts";
import type { Release } from "../../base/release.ts";
import { getOwn } from "../../machinery/json/json-value.ts";
import { isDomainPrefixedPath } from "../../machinery/meta/names.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { JwtConfiguration } from "./authentication-config.ts";
import { compileClaimMapping, compileClaimRule, compileUserRule, type Evaluated } from "./expressions.ts";

interface MapperOptions {
  /** Extra keys of its domains are the server's own. */
  readonly vocabulary: Vocabulary;
  readonly release: Release;
  readonly log: Log;
}

/** A text, or a list of texts. Users and uids must not be lists, even of one text. */
type Mapping = (claims: JwtClaims) => Evaluated<string | readonly string[]>;
type Check<T> = (given: T) => Error | undefined;

/** Throws an Error that says which entry is wrong. The result returns undefined for claims that are refused. */
export function createClaimMapper(
  { claimMappings: mappings, claimValidationRules = [], userValidationRules = [] }: JwtConfiguration,
  where: string,
  { release, log, vocabulary }: MapperOptions,
): (claims: JwtClaims) => User | undefined {
  const at = `${where}.claimMappings`;
  const name = readMapping(mappings.username, `${at}.username`, release);
  const groups = mappings.groups && readMapping(mappings.groups, `${at}.groups`, release);
  const uid = mappings.uid && readMapping({ prefix: "", ...mappings.uid }, `${at}.uid`, release);
  const extra = readExtra(mappings.extra ?? [], `${at}.extra`, release);
  const reserved = reservedDomains(vocabulary);
  for (const key of extra.keys())
    if (reserved.some((domain) => `.${key.split("/")[0]}`.endsWith(`.${domain}`)))
      throw new Error(`${at}.extra: the key "${key}" is in a domain of the server: ${reserved.join(", ")}`);
  requireDistinct(claimValidationRules, `${where}.claimValidationRules`);
  requireDistinct(userValidationRules, `${where}.userValidationRules`);
  const claimRules = claimValidationRules.map((rule, index) =>
    readClaimRule(rule, `${where}.claimValidationRules[${index}]`, release),
  );
  const userRules = userValidationRules.map(({ expression, message }, index) =>
    within(`${where}.userValidationRules[${index}]`, () =>
      checked(compileUserRule(expression, release), message || `"${expression}" does not hold`),
    ),
  );
  requireVerifiedEmail({ mappings, claimValidationRules }, `${at}.username`);

  const identify = (claims: JwtClaims): Evaluated<User> => {
    for (const rule of claimRules) {
      const problem = rule(claims);
      if (problem !== undefined) return problem;
    }
    const username = oneText(name(claims), "user name");
    if (username instanceof Error) return username;
    if (username === "") return new Error("the claims name no user");
    const found = groups?.(claims) ?? [];
    const uniqueId = oneText(uid?.(claims) ?? [], "uid");
    if (found instanceof Error) return found;
    if (uniqueId instanceof Error) return uniqueId;
    const more = new Map<string, readonly string[]>();
    for (const [key, mapping] of extra) {
      const values = mapping(claims);
      if (values instanceof Error) return values;
      if (values.length > 0) more.set(key, textsOf(values));
    }
    const user: User = { name: username, uid: uniqueId, groups: textsOf(found), extra: more };
    const shown = { username: user.name, uid: user.uid, groups: user.groups, extra: Object.fromEntries(more) };
    for (const rule of userRules) {
      const problem = rule(shown);
      if (problem !== undefined) return problem;
    }
    return user;
  };
  return (claims) => {
    const user = identify(claims);
    if (!(user instanceof Error)) return user;
    log.info("a token was refused", { issuer: String(claims["iss"]), reason: user.message });
    return undefined;
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
  return (claims) => {
    if (claim === "email" && Object.hasOwn(claims, "email_verified") && claims["email_verified"] !== true)
      return new Error("the email is not verified");
    const value = getOwn(claims, claim);
    if (value === undefined || value === null || value === "") return [];
    if (typeof value === "string") return prefix + value;
    const list = Array.isArray(value) ? value : [value];
    if (!list.every((one): one is string => typeof one === "string"))
      return new Error(`the claim ${claim} is neither a text nor a list of texts`);
    return list.map((one) => prefix + one);
  };
}

function readExtra(
  given: readonly { readonly key: string; readonly valueExpression: string }[],
  where: string,
  release: Release,
): ReadonlyMap<string, Mapping> {
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
  return (claims) =>
    getOwn(claims, claim) === requiredValue ? undefined : new Error(`the claim ${claim} has another value`);
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
function checked<T>(rule: (given: T) => Evaluated<boolean>, message: string): Check<T> {
  return (given) => {
    const holds = rule(given);
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
