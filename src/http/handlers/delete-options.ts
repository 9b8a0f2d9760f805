/** The options of a delete: from the body if there is one, otherwise from the query. */

import { decodeEnvelope } from "../../machinery/codec/envelope.ts";
import { metaSchemas } from "../../machinery/codec/meta-types.ts";
import { decodeProtobuf } from "../../machinery/codec/protobuf.ts";
import { decodeYamlAsync } from "../../machinery/codec/yaml.ts";
import { decodeJsonAsync } from "../../machinery/json/json.ts";
import { type FieldError, invalid, notSupported } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { RegistryDeleteOptions } from "../../registry/contract/registry.ts";
import { auditValue } from "../audit/request-object.ts";
import { bodyEncoding } from "../negotiation/content-type.ts";
import type { Call } from "../request/call.ts";
import { type Query, queryFlag } from "../request/query.ts";
import type { ServerContext } from "../server/context.ts";
import { dryRunProblems, readInteger, throwInvalid } from "./options.ts";

interface ReadDeleteOptions {
  readonly options: RegistryDeleteOptions;
  readonly dryRun: boolean;
  readonly shown: Readonly<Record<string, unknown>>;
}

interface Given {
  gracePeriodSeconds?: number;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: readonly string[];
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** 1e2 is not an integer, so the notation of numbers is kept until `typed` has read them. */
const typedNumbers = { keepNumberForm: true };

const policies: readonly string[] = ["Foreground", "Background", "Orphan"];

export async function readDeleteOptions(context: ServerContext, call: Call): Promise<ReadDeleteOptions> {
  const given = (await fromBody(context, call)) ?? fromQuery(call.info.query);
  const dryRun = given.dryRun ?? [];
  const problems: FieldError[] = [];
  const { propagationPolicy, orphanDependents } = given;
  if (propagationPolicy !== undefined) {
    if (orphanDependents !== undefined) {
      problems.push(
        invalid("propagationPolicy", propagationPolicy, "orphanDependents and deletionPropagation cannot be both set"),
      );
    }
    if (!policies.includes(propagationPolicy)) {
      problems.push(notSupported("propagationPolicy", propagationPolicy, policies));
    }
  }
  throwInvalid("DeleteOptions", context.metaGroup, [...problems, ...dryRunProblems(dryRun)]);
  const { gracePeriodSeconds, preconditions } = given;
  return {
    options: {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(orphanDependents === undefined ? {} : { orphanDependents }),
      ...(preconditions === undefined ? {} : { preconditions }),
    },
    dryRun: dryRun.length > 0,
    shown: { kind: "DeleteOptions", apiVersion: `${context.metaGroup}/v1`, ...given },
  };
}

async function fromBody(context: ServerContext, call: Call): Promise<Given | undefined> {
  const { exchange } = call;
  // Most deletes have no body, as their headers show.
  if (exchange.header("content-length") === undefined && exchange.header("transfer-encoding") === undefined) {
    if (exchange.transport === "http1") return undefined;
  }
  const bytes = await context.bodies.read(call);
  if (bytes.length === 0) return undefined;
  const encoding = bodyEncoding(exchange, context.offer);
  const value =
    encoding === "protobuf"
      ? decodeDeleteOptions(bytes)
      : encoding === "yaml"
        ? await decodeYamlAsync(bytes)
        : await decodeJsonAsync(bytes, typedNumbers);
  const given = fromValue(value);
  auditValue(call, () => ({ kind: "DeleteOptions", apiVersion: saidVersion(value) || versionOf(call), ...given }));
  return given;
}

/** Clients often send options without a type, which are then options of the group of the path. */
const versionOf = ({ group, version }: Call) => (group === "" ? version : `${group}/${version}`);

const saidVersion = (value: unknown) =>
  typeof value === "object" && value !== null && "apiVersion" in value ? value.apiVersion : undefined;

function decodeDeleteOptions(bytes: Buffer): unknown {
  const { kind, raw } = decodeEnvelope(bytes);
  return { ...decodeProtobuf(metaSchemas.get("DeleteOptions")!, raw), kind };
}

function fromValue(value: unknown): Given {
  if (value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw badRequest("delete options must be an object");
  const read = value as Record<string, unknown>; // An object that is not a list; members are checked below.
  const member = (name: string) => (Object.hasOwn(read, name) ? (read[name] ?? undefined) : undefined);
  const kind = member("kind");
  if (kind !== undefined && kind !== "" && kind !== "DeleteOptions") {
    throw badRequest("the body of a delete must be DeleteOptions");
  }
  const given: Given = {};
  const grace = member("gracePeriodSeconds");
  if (grace !== undefined) given.gracePeriodSeconds = typed(grace, "number", "gracePeriodSeconds");
  const orphan = member("orphanDependents");
  if (orphan !== undefined) given.orphanDependents = typed(orphan, "boolean", "orphanDependents");
  const policy = member("propagationPolicy");
  if (policy !== undefined) given.propagationPolicy = typed(policy, "string", "propagationPolicy");
  const dryRun = member("dryRun");
  if (dryRun !== undefined) {
    if (!Array.isArray(dryRun)) throw badRequest("dryRun must be a list of strings");
    given.dryRun = dryRun.map((one) => typed(one, "string", "dryRun"));
  }
  const preconditions = member("preconditions");
  if (preconditions !== undefined) given.preconditions = readPreconditions(preconditions);
  return given;
}

function readPreconditions(value: unknown): NonNullable<Given["preconditions"]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("preconditions must be an object");
  }
  const { uid, resourceVersion } = value as Record<string, unknown>; // Checked by `typed`.
  return {
    ...(uid === undefined || uid === null ? {} : { uid: typed(uid, "string", "preconditions.uid") }),
    ...(resourceVersion === undefined || resourceVersion === null
      ? {}
      : { resourceVersion: typed(resourceVersion, "string", "preconditions.resourceVersion") }),
  };
}

interface Typed {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

function typed<T extends keyof Typed>(value: unknown, type: T, field: string): Typed[T] {
  if (typeof value !== type || (type === "number" && !Number.isSafeInteger(value))) {
    throw badRequest(`${field} must be a ${type === "number" ? "whole number" : type}`);
  }
  return value as Typed[T]; // Just compared with the type of that name.
}

function fromQuery(query: Query): Given {
  if (query.empty) return {};
  const given: Given = {};
  const grace = readInteger(query, "gracePeriodSeconds");
  if (grace !== undefined) given.gracePeriodSeconds = grace;
  if (query.has("orphanDependents")) given.orphanDependents = queryFlag(query.get("orphanDependents"));
  const policy = query.get("propagationPolicy");
  if (policy !== undefined) given.propagationPolicy = policy;
  const dryRun = query.getAll("dryRun");
  if (dryRun.length > 0) given.dryRun = dryRun;
  // Of a collection, resourceVersion is both: what to list, and a precondition of each object.
  const uid = query.get("uid");
  const resourceVersion = query.get("resourceVersion");
  if (uid || resourceVersion) {
    given.preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  }
  return given;
}
