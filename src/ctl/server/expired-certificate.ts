/** Says that the user's own certificate has run out, where the server only says that it does not know the user. */

import { X509Certificate } from "node:crypto";
import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, Errors, isNetworkError } from "../errors.ts";

/** The error, with the reason if it is the client certificate. A server may also refuse the connection, or take the user for nobody. */
export function withCertificateExpiry(context: Context, error: unknown): unknown {
  if (context.environment.fetch !== undefined || !isRefusal(error)) return error;
  const problem = certificateProblem(context.session.connection.access.tls.cert, context.environment.clock.now());
  if (problem === undefined) return error;
  return new CtlError(`${describeError(error)}\n${problem}`, { isBare: true, cause: error });
}

function isRefusal(error: unknown): boolean {
  if (error instanceof Errors) return error.errors.some(isRefusal);
  if (error instanceof StatusError) return error.code === 401 || error.code === 403;
  if (isNetworkError(error)) return isTls(error.code);
  // A refusal may be told with our own words.
  return error instanceof Error && isRefusal(error.cause);
}

const isTls = (code: string): boolean => code.startsWith("ERR_SSL_") || code === "EPROTO" || code === "ECONNRESET";

function certificateProblem(pem: string | undefined, nowMs: number): string | undefined {
  if (pem === undefined) return undefined;
  try {
    const { validFrom, validTo, subject } = new X509Certificate(pem);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    const whose = `your client certificate (${subject.replaceAll("\n", ", ")})`;
    if (to < nowMs) return `${whose} expired at ${new Date(to).toISOString()}; get a new one`;
    if (from > nowMs) return `${whose} is not valid before ${new Date(from).toISOString()}`;
    return undefined;
  } catch {
    return undefined; // it is reported where it is used
  }
}
