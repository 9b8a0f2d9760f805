/** The Status object: how every refusal reaches a client, and one constructor for each reason. */

import { aggregate } from "./aggregate.ts";
import type { FieldError, FieldErrors } from "./field-error.ts";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Every reason with its code. A test compares this table with docs/errors.md. */
export const statusReasons = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;
/**
 * Why a server refuses something.
 * @example
 * const reason: StatusReason = "NotFound";
 */
export type StatusReason = keyof typeof statusReasons;

/** How many causes are sent: more are not useful, and a large object can have enough to make the answer a hundred times its size. */
export const problemsToldMax = 1_000;

/**
 * How much an answer repeats of one text that a client chose (a name, the path of a field, what is wrong with it): enough to
 * find it again, and far more than any name may have.
 */
export const echoedCharsMax = 1_024;
/** The length of a whole message. The causes in the details repeat it, one by one. */
export const messageCharsMax = 65_536;

/** Which resource or kind a refusal is about. Resources are named in their plural (`pods`), validation names the kind. */
export interface Subject {
  readonly group: string;
  /** `pods` or `Pod`: printed as details.kind. */
  readonly kind: string;
}

/** What all refusals have, whichever bundle their class is from: a program may have "orch" and "orch/client", as ESM and as CommonJS. */
const statusErrorMark = Symbol.for("orch.StatusError");

/**
 * A refusal that the caller can act on. Any room may throw it; only http turns it into bytes. `instanceof` knows those of other bundles too.
 * @example
 * throw new StatusError("Conflict", "the order was paid meanwhile");
 */
export class StatusError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass is asked about its own objects. The class is not named here: bundlers would rename it, also in stack traces.
    if (!Object.hasOwn(this, Symbol.hasInstance)) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && statusErrorMark in value;
  }

  readonly code: number;
  readonly reason: StatusReason | undefined;
  readonly details: StatusDetails | undefined;
  /** List metadata of the Status: an expired continue token gets a fresh one. */
  readonly continueToken: string | undefined;

  constructor(
    reason: StatusReason | undefined,
    message: string,
    more: { code?: number; details?: StatusDetails; continueToken?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "StatusError";
    this.reason = reason;
    this.code = more.code ?? (reason ? statusReasons[reason] : 500);
    this.details = more.details;
    this.continueToken = more.continueToken;
  }

  /** Only for `instanceof`. */
  get [statusErrorMark](): true {
    return true;
  }

  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: shorten(this.message, messageCharsMax),
      ...(this.reason === undefined ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: shortDetails(this.details) }),
      code: this.code,
    };
  }
}

/** The details as they are sent: names, fields and sentences that a client made long are cut. */
function shortDetails(details: StatusDetails): StatusDetails {
  const { name, causes } = details;
  return {
    ...details,
    ...(name === undefined ? {} : { name: shorten(name) }),
    ...(causes === undefined ? {} : { causes: causes.slice(0, problemsToldMax).map(shortCause) }),
  };
}

function shortCause(cause: StatusCause): StatusCause {
  const { field = "", message = "" } = cause;
  if (field.length <= echoedCharsMax && message.length <= echoedCharsMax) return cause;
  return {
    ...cause,
    ...(cause.message === undefined ? {} : { message: shorten(message) }),
    ...(cause.field === undefined ? {} : { field: shorten(field) }),
  };
}

function shorten(text: string, charsMax = echoedCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}

const about = (subject: Subject, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(subject.group === "" ? {} : { group: subject.group }),
  kind: subject.kind,
});
const inGroup = (subject: Subject) => (subject.group === "" ? subject.kind : `${subject.kind}.${subject.group}`);

export const badRequest = (message: string, cause?: unknown) => new StatusError("BadRequest", message, { cause });
export const unauthorized = (message = "Unauthorized") => new StatusError("Unauthorized", message);
export const forbiddenRequest = (subject: Subject, name: string, message: string) =>
  new StatusError("Forbidden", `${inGroup(subject)} "${shorten(name)}" is forbidden: ${message}`, {
    details: about(subject, name),
  });
export const notFound = (subject: Subject, name: string) =>
  new StatusError("NotFound", `${inGroup(subject)} "${shorten(name)}" not found`, { details: about(subject, name) });
/** For a path that this server does not know. */
export const noSuchPath = () =>
  new StatusError("NotFound", "the server could not find the requested resource", { details: {} });
export const alreadyExists = (subject: Subject, name: string) =>
  new StatusError("AlreadyExists", `${inGroup(subject)} "${shorten(name)}" already exists`, {
    details: about(subject, name),
  });
export const conflict = (subject: Subject, name: string, message: string) =>
  new StatusError("Conflict", `Operation cannot be fulfilled on ${inGroup(subject)} "${shorten(name)}": ${message}`, {
    details: about(subject, name),
  });
export const expired = (message: string, continueToken?: string) =>
  new StatusError("Expired", message, continueToken === undefined ? {} : { continueToken });
export const methodNotAllowed = (subject: Subject, verb: string) =>
  new StatusError("MethodNotAllowed", `${verb} is not supported on resources of kind "${inGroup(subject)}"`, {
    details: about(subject, ""),
  });
export const unsupportedMediaType = (accepted: readonly string[], details?: {}) =>
  new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    details === undefined ? {} : { details },
  );
export const tooLarge = (message: string) => new StatusError("RequestEntityTooLarge", message);
/** `subject.kind` is the kind here (Pod), not the resource. */
export function invalidObject(subject: Subject, name: string, errors: FieldErrors): StatusError {
  const told = errors.slice(0, problemsToldMax);
  const text = aggregate(told.map(sentence), errors.length - told.length);
  return new StatusError("Invalid", `${inGroup(subject)} "${shorten(name)}" is invalid: ${text}`, {
    details: { ...about(subject, name), causes: told.map((e) => ({ ...e })) },
  });
}
const sentence = ({ field, message }: FieldError) => `${shorten(field)}: ${shorten(message)}`;
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new StatusError("TooManyRequests", message, { details: { retryAfterSeconds } });
export const internalError = (message: string, cause?: unknown) =>
  new StatusError("InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  });
/** A failure that neither client nor server caused and that has no reason: v1.21 answers so for every error of a converter. */
export const internalFailure = (message: string, cause?: unknown) => new StatusError(undefined, message, { cause });
/** The cause of a refusal because nothing runs the pods of a node. */
export const noAgentReason = "NoNodeAgent";

export const serviceUnavailable = (message: string, cause?: unknown) =>
  new StatusError("ServiceUnavailable", message, { cause });
export const timeout = (message: string, retryAfterSeconds = 1) =>
  new StatusError("Timeout", message, { details: { retryAfterSeconds } });
