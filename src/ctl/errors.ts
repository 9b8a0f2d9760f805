/** The errors of a command, and the messages that a user sees. */

import { FlagError } from "../base/flags/flag.ts";
import { ContextNotFound, CredentialsError } from "../client/config/file.ts";
import { StatusError } from "../machinery/status/status.ts";
import { list, text } from "./json.ts";
import type { ProgramBehaviour } from "./kubectl.ts";

/** One of our own errors. The message is printed with "error: " before it unless it is bare. */
export class CtlError extends Error {
  readonly exitCode: number;
  /** Printed without a prefix. */
  readonly isBare: boolean;
  constructor(message: string, options: { exitCode?: number; isBare?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "CtlError";
    this.exitCode = options.exitCode ?? 1;
    this.isBare = options.isBare ?? false;
  }
}

/** The command was called with invalid arguments. */
export class UsageError extends CtlError {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A wait timed out. */
export class TimedOut extends CtlError {
  constructor(message = "timed out waiting for the condition") {
    super(message);
    this.name = "TimedOut";
  }
}

/** Required flags are missing. */
export class RequiredFlags extends CtlError {
  constructor(names: readonly string[]) {
    super(`Error: required flag(s) ${names.map((name) => `"${name}"`).join(", ")} not set`, { isBare: true });
    this.name = "RequiredFlags";
  }
}

/** The server does not serve the type that a word names. */
export class UnknownType extends CtlError {
  constructor(word: string, suggestion: string | undefined) {
    super(
      `the server doesn't have a resource type "${word.split(".")[0]}"${suggestion === undefined ? "" : `\nDid you mean "${suggestion}"?`}`,
    );
    this.name = "UnknownType";
  }
}

/** Several errors, in order. */
export class Errors extends Error {
  readonly errors: readonly unknown[];
  constructor(errors: readonly unknown[]) {
    super(errors.map((error) => (error instanceof Error ? error.message : String(error))).join("\n"));
    this.name = "Errors";
    this.errors = errors;
  }
}

/** An error of an object from a file; `describe` names the file and line of each of its problems. */
export class LocatedError extends Error {
  readonly error: unknown;
  readonly describe: (error: unknown) => string;
  constructor(error: unknown, describe: (error: unknown) => string) {
    super(describe(error), { cause: error });
    this.name = "LocatedError";
    this.error = error;
    this.describe = describe;
  }
}

/** Throws one failure as it is, and several together. */
export function throwFailures(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new Errors(failures);
}

/** Ends the command with this code and without a message. */
export class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.name = "Exit";
    this.code = code;
  }
}

/** The message about a list with selectors that the server refuses. `resource`: "apps/v1, Resource=deployments". */
export function whileListing(resource: string, selectors: { labels: string; fields: string }, error: unknown): unknown {
  if (!(error instanceof StatusError) || (error.reason !== "BadRequest" && error.reason !== "NotFound")) return error;
  const { labels, fields } = selectors;
  const start =
    labels === "" && fields === ""
      ? `Unable to list "${resource}": `
      : `Unable to find "${resource}" that match label selector "${labels}", field selector "${fields}": `;
  return withMessage(error, start + error.message);
}

/** The error of the server with another message. */
export function withMessage({ reason, code, details }: StatusError, message: string): StatusError {
  return new StatusError(reason, message, { code, ...(details === undefined ? {} : { details }) });
}

/** Adds the file of its object to the error, unless it gets file and line later. Objects that were named by arguments have no file. */
export function whileDoing(
  { behaviour }: { readonly behaviour: ProgramBehaviour },
  what: string,
  source: string,
  error: unknown,
): unknown {
  if (source === "" || behaviour.locatesErrors) return error;
  const start = `error when ${what} "${source}": `;
  if (error instanceof StatusError) return withMessage(error, start + error.message);
  if (!(error instanceof CtlError) || error.isBare) return error;
  return new CtlError(start + error.message.replace(/^error: /, ""), { exitCode: error.exitCode, cause: error });
}

/** The lines that a user sees, without a final newline. */
export function describeError(error: unknown): string {
  // A message that is the same for thousands of objects, such as that the server does not answer, is worth one line.
  if (error instanceof Errors) return [...new Set(error.errors.map(describeOneOfMany))].join("\n");
  if (error instanceof LocatedError) return error.message;
  if (error instanceof StatusError) return describeStatus(error);
  if (error instanceof CtlError) return error.isBare ? error.message : withPrefix(error.message);
  if (isNetworkError(error)) return describeNetwork(error);
  if (error instanceof CredentialsError) return `Unable to connect to the server: ${error.message}`;
  if (error instanceof ContextNotFound) return `Error in configuration: ${error.message}`;
  return withPrefix(error instanceof Error ? error.message : String(error));
}

/** One of several errors: an answer of the server takes one line, our own message has no prefix. */
function describeOneOfMany(error: unknown): string {
  if (error instanceof StatusError && error.reason === "Invalid")
    return `Error from server (${error.reason}): ${error.message}`;
  if (error instanceof StatusError || error instanceof Errors || isNetworkError(error)) return describeError(error);
  return error instanceof Error ? error.message : String(error);
}

function withPrefix(message: string): string {
  return message.startsWith("error: ") ? message : `error: ${message}`;
}

function describeStatus(error: StatusError): string {
  const { details, reason, message } = error;
  if (reason === "Unauthorized") return `error: You must be logged in to the server (${message || "Unauthorized"})`;
  if (reason === "Invalid") {
    const causes = [
      ...new Set(list(details, "causes").map((cause) => `${text(cause, "field")}: ${text(cause, "message")}`)),
    ];
    const kind = text(details, "kind");
    const subject = kind === "" ? "The request is invalid" : `The ${kind} "${text(details, "name")}" is invalid`;
    if (causes.length === 1) return `${subject}: ${causes[0]}`;
    if (causes.length > 1) return [`${subject}: `, ...causes.map((cause) => `* ${cause}`)].join("\n");
    return message === "" || kind !== "" ? subject : `${subject}: ${message}`;
  }
  return reason === undefined ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
}

interface NetworkError extends Error {
  readonly code: string;
  readonly address?: string;
  readonly port?: number;
  /** The address as the user wrote it. */
  readonly host?: string;
  /** For a certificate with other names: the names that it has. */
  readonly cert?: { readonly subjectaltname?: string };
}

export function isNetworkError(error: unknown): error is NetworkError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^[A-Z_]+$/.test(error.code);
}

function describeNetwork(error: NetworkError): string {
  if (error.code === "ECONNREFUSED")
    return `The connection to the server ${error.host ?? `${error.address ?? ""}:${error.port ?? ""}`} was refused - did you specify the right host or port?`;
  if (error.code === "ERR_TLS_CERT_ALTNAME_INVALID") return `Unable to connect to the server: ${otherNames(error)}`;
  if (error.code === "ENOENT" || error.code === "EACCES") return withPrefix(error.message);
  // The phrase is that of kubectl, which people search for.
  if (error.cause instanceof Error && error.cause.name === "TimeoutError")
    return error.code === "ECONNRESET"
      ? "error: context deadline exceeded while reading body: the answer did not end within --request-timeout"
      : "Unable to connect to the server: context deadline exceeded: there was no answer within --request-timeout";
  return `Unable to connect to the server: ${tlsReasons[error.code] ?? error.message}`;
}

function otherNames(error: NetworkError): string {
  const [, asked = "another name"] = /Host: (.*?)\.? is not|IP: (\S+) is not/.exec(error.message) ?? [];
  const names = (error.cert?.subjectaltname ?? "").matchAll(/DNS:([^,\s]+)/g);
  return `x509: certificate is valid for ${[...names].map(([, name]) => name).join(", ")}, not ${asked}`;
}

/** Why a certificate was refused, in the words that people search for. */
const tlsReasons: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: "x509: certificate signed by unknown authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "x509: certificate signed by unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "x509: certificate signed by unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "x509: certificate signed by unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "x509: certificate signed by unknown authority",
  CERT_HAS_EXPIRED: "x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: "x509: certificate has expired or is not yet valid",
};

/** The exit code. `isRich`: a code for each of the common reasons, for scripts that request it. */
export function exitCodeOf(error: unknown, isRich: boolean): number {
  if (error instanceof LocatedError) return exitCodeOf(error.error, isRich);
  if (error instanceof Exit) return error.code;
  if (isRich) {
    const one = error instanceof Errors ? error.errors[0] : error;
    const told = one instanceof LocatedError ? one.error : one;
    // A refusal of the server may be reported with our own message.
    const first = told instanceof CtlError && told.cause instanceof StatusError ? told.cause : told;
    if (first instanceof UsageError || first instanceof FlagError) return 2;
    if (first instanceof StatusError) return richCodes[first.reason ?? ""] ?? 1;
    if (first instanceof TimedOut) return 6;
    if (isNetworkError(first)) return 7;
  }
  return error instanceof CtlError ? error.exitCode : 1;
}

const richCodes: Readonly<Record<string, number>> = {
  NotFound: 3,
  Forbidden: 4,
  Unauthorized: 4,
  Conflict: 5,
  AlreadyExists: 5,
  Timeout: 6,
};
