/** The file of --authorization-config: authorizers in the order in which they are asked. */

import { type ConfigurationKind, readConfiguration } from "../../admission/configuration/configuration-kind.ts";
import { decodeFile, type OperatorFile } from "../../admission/configuration/operator-file.ts";
import { createWebhookAuthorizer } from "../../authz/webhook.ts";
import { createCallout } from "../../base/callout.ts";
import type { Clock } from "../../base/clock.ts";
import { parseDuration } from "../../base/duration.ts";
import type { Log } from "../../base/log.ts";
import type { Release } from "../../base/release.ts";
import { run, type Steps, TimeSlice } from "../../base/time-slice.ts";
import { parseEndpoint } from "../../machinery/client-file/endpoint.ts";
import { isDns1123Subdomain } from "../../machinery/meta/names.ts";
import { bool, elided, list, optional, type Static, string, struct } from "../../machinery/schema/build.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type AuthorizationMode, authorizationModes, type ConfiguredAuthorizer } from "../access/authorization.ts";
import {
  type AccessExpression,
  accessCostMax,
  type CostBudget,
  compileRequestCondition,
  type Evaluated,
} from "./expressions.ts";

const fields = struct("config.AuthorizationConfiguration", {
  authorizers: elided(
    list(
      struct("config.AuthorizerConfiguration", {
        type: string(),
        name: string(),
        webhook: optional(
          struct("config.WebhookConfiguration", {
            authorizedTTL: elided(string()),
            cacheAuthorizedRequests: optional(bool()),
            unauthorizedTTL: elided(string()),
            cacheUnauthorizedRequests: optional(bool()),
            timeout: string(),
            subjectAccessReviewVersion: string(),
            matchConditionSubjectAccessReviewVersion: elided(string()),
            failurePolicy: string(),
            connectionInfo: struct("config.WebhookConnectionInfo", {
              type: string(),
              kubeConfigFile: optional(string()),
            }),
            matchConditions: elided(list(struct("config.WebhookMatchCondition", { expression: string() }))),
          }),
        ),
      }),
    ),
  ),
});
type Entry = NonNullable<Static<typeof fields>["authorizers"]>[number];
type WebhookEntry = NonNullable<Entry["webhook"]>;

const AuthorizationConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: ["v1", "v1beta1", "v1alpha1"].map((version) => ({
    apiVersion: `apiserver.config.orch.io/${version}`,
    kind: "AuthorizationConfiguration",
  })),
  schema: fields,
};

interface AuthorizationConfigOptions {
  readonly vocabulary: Vocabulary;
  readonly release: Release;
  readonly clock: Clock;
  readonly log: Log;
}

/** Authorizers in one file; a request may be asked of all of them. */
export const authorizersMax = 64;
/** The longest that a webhook may take. */
export const webhookTimeoutMsMax = 30_000;
/** The settings of one webhook. */
export const matchConditionsMax = 64;

const defaultTtlMs = { authorized: 300_000, unauthorized: 30_000 };

/** Throws an Error that names the file, the entry and what is allowed. */
export async function parseAuthorizationConfig(
  file: OperatorFile,
  options: AuthorizationConfigOptions,
): Promise<readonly ConfiguredAuthorizer[]> {
  const value = decodeFile(file);
  const { authorizers = [] } = readConfiguration(
    AuthorizationConfiguration,
    { where: file.path, value, file },
    options.vocabulary,
  );
  if (authorizers.length === 0) throw new Error(`${file.path}: authorizers must name at least one authorizer`);
  const names = new Set<string>();
  const types = new Set<string>();
  const slice = new TimeSlice();
  if (authorizers.length > authorizersMax)
    throw new Error(`${file.path}: authorizers: must have at most ${authorizersMax} items`);
  const read: ConfiguredAuthorizer[] = [];
  for (const [index, entry] of authorizers.entries()) {
    const where = `${file.path}: authorizers[${index}]`;
    const type = authorizationModes.find((mode) => mode === entry.type);
    if (type === undefined)
      throw new Error(`${where}.type: must be one of ${authorizationModes.join(", ")}, not "${entry.type}"`);
    if (entry.name === "" || isDns1123Subdomain(entry.name).length > 0)
      throw new Error(`${where}.name: must be a DNS subdomain, not "${entry.name}"`);
    if (names.has(entry.name)) throw new Error(`${where}.name: "${entry.name}" is used twice`);
    if (type !== "Webhook" && types.has(type)) throw new Error(`${where}.type: ${type} is named twice`);
    names.add(entry.name);
    types.add(type);
    read.push(await readEntry(type, entry, { where, file, options }));
    if (slice.isLong) await slice.next();
  }
  return read;
}

interface Place {
  readonly where: string;
  readonly file: OperatorFile;
  readonly options: AuthorizationConfigOptions;
}

async function readEntry(
  type: AuthorizationMode,
  { name, webhook }: Entry,
  place: Place,
): Promise<ConfiguredAuthorizer> {
  if (type !== "Webhook") {
    if (webhook) throw new Error(`${place.where}.webhook: only the type Webhook has one`);
    return { type, name };
  }
  if (!webhook) throw new Error(`${place.where}.webhook: the type Webhook needs it`);
  return { type, name, webhook: await readWebhook(name, webhook, { ...place, where: `${place.where}.webhook` }) };
}

async function readWebhook(name: string, given: WebhookEntry, { where, file, options }: Place) {
  const timeoutMs = readMs(given.timeout, `${where}.timeout`);
  if (timeoutMs <= 0 || timeoutMs > webhookTimeoutMsMax)
    throw new Error(`${where}.timeout: must be more than 0s and at most ${webhookTimeoutMsMax / 1_000}s`);
  const version = oneOf(["v1", "v1beta1"], given.subjectAccessReviewVersion, `${where}.subjectAccessReviewVersion`);
  const failurePolicy = oneOf(["Deny", "NoOpinion"], given.failurePolicy, `${where}.failurePolicy`);
  const { matchConditions = [] } = given;
  if (matchConditions.length > matchConditionsMax)
    throw new Error(`${where}.matchConditions: must have at most ${matchConditionsMax} items`);
  const { matchConditionSubjectAccessReviewVersion: reviewed = "" } = given;
  if (matchConditions.length > 0 || reviewed !== "")
    oneOf(["v1"], reviewed, `${where}.matchConditionSubjectAccessReviewVersion`);
  for (const [index, { expression }] of matchConditions.entries())
    if (matchConditions.findIndex((other) => other.expression === expression) < index)
      throw new Error(`${where}.matchConditions[${index}].expression: "${expression}" is used twice`);
  const conditions: AccessExpression<object, boolean>[] = [];
  const slice = new TimeSlice();
  for (const [index, { expression }] of matchConditions.entries()) {
    const place = `${where}.matchConditions[${index}].expression`;
    conditions.push(at(place, () => compileRequestCondition(expression, options.release)));
    if (slice.isLong) await slice.next();
  }
  const { authorized, unauthorized } = defaultTtlMs;
  const { vocabulary, clock, log } = options;
  return createWebhookAuthorizer({
    name,
    callout: readConnection(given.connectionInfo, { where, file, options }, timeoutMs),
    version,
    allowedTtlMs:
      given.cacheAuthorizedRequests === false
        ? 0
        : readTtlMs(given.authorizedTTL, `${where}.authorizedTTL`, authorized),
    deniedTtlMs:
      given.cacheUnauthorizedRequests === false
        ? 0
        : readTtlMs(given.unauthorizedTTL, `${where}.unauthorizedTTL`, unauthorized),
    sendsSelectors: true,
    failurePolicy,
    ...(conditions.length === 0 ? {} : { selects: (spec) => run(meets(conditions, spec), new TimeSlice()) }),
    vocabulary,
    clock,
    log,
  });
}

/** A condition that does not hold decides, even if others cannot be evaluated. */
function* meets(conditions: readonly AccessExpression<object, boolean>[], spec: object): Steps<Evaluated<boolean>> {
  const budget: CostBudget = { left: accessCostMax };
  let failed: Error | undefined;
  for (const condition of conditions) {
    const met = yield* condition(spec, budget);
    if (met === false) return false;
    if (met instanceof Error) failed ??= met;
  }
  return failed ?? true;
}

function readConnection({ type, kubeConfigFile }: WebhookEntry["connectionInfo"], place: Place, timeoutMs: number) {
  const where = `${place.where}.connectionInfo`;
  // The name of the type in every vocabulary: configuration files are shared between servers.
  oneOf(["KubeConfigFile"], type, `${where}.type`);
  if (!kubeConfigFile) throw new Error(`${where}.kubeConfigFile: must name a file`);
  const connection = place.file.open(kubeConfigFile);
  return at(connection.path, () =>
    createCallout(
      parseEndpoint(decodeFile(connection), (path) => connection.open(path).text),
      timeoutMs,
    ),
  );
}

/** As in the reference, 0s means the default: only `cache…Requests: false` turns the cache off. */
function readTtlMs(text: string | undefined, where: string, otherwise: number): number {
  const ttlMs = readMs(text, where);
  if (ttlMs < 0) throw new Error(`${where}: must be more than 0s`);
  return ttlMs || otherwise;
}

function readMs(text: string | undefined, where: string): number {
  if (text === undefined || text === "") return 0;
  const nanos = parseDuration(text);
  if (nanos === undefined) throw new Error(`${where}: "${text}" is not a duration, such as 5m`);
  return Number(nanos / 1_000_000n);
}

function oneOf<T extends string>(allowed: readonly T[], given: string, where: string): T {
  const found = allowed.find((one) => one === given);
  if (found === undefined) throw new Error(`${where}: must be ${allowed.join(" or ")}, not "${given}"`);
  return found;
}

/** Adds where it happened to an error. */
function at<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
