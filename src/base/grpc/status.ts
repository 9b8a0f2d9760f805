/** How a gRPC call ends: by the trailer of the server, or by what became of its HTTP/2 stream. */

import { http2Code } from "./http2/frames.ts";

/** Those that are told apart somewhere. */
export const grpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export class GrpcError extends Error {
  readonly code: number;
  /** What the server said, or what happened to the connection. */
  readonly details: string;

  constructor(code: number, details: string, options?: ErrorOptions) {
    super(`gRPC status ${code}: ${details}`, options);
    this.name = "GrpcError";
    this.code = code;
    this.details = details;
  }
}

/** How much of a server's text is kept. */
const grpcTextMax = 4_096;

/** What the trailers, or headers in their place, say; absent when they carry no status. `ok` has no error. */
export function statusOf(headers: ReadonlyMap<string, string>): { readonly error?: GrpcError } | undefined {
  const status = headers.get("grpc-status");
  if (status === undefined) return undefined;
  const code = Number(status);
  if (code === grpcCode.ok) return {};
  const known = Number.isInteger(code) && code > 0 && code <= 16 ? code : grpcCode.unknown;
  return { error: new GrpcError(known, textOf(headers.get("grpc-message"))) };
}

/** A proxy in between answers like a web server. */
export function statusOfHttp(status: string | undefined): GrpcError {
  const codes: Readonly<Record<string, number>> = {
    400: grpcCode.internal,
    401: grpcCode.unauthenticated,
    403: grpcCode.permissionDenied,
    404: grpcCode.unimplemented,
    429: grpcCode.unavailable,
    502: grpcCode.unavailable,
    503: grpcCode.unavailable,
    504: grpcCode.unavailable,
  };
  return new GrpcError(
    codes[status ?? ""] ?? grpcCode.unknown,
    `an answer with HTTP status ${status}, which is not gRPC`,
  );
}

/** A stream that closed without trailers. */
export function statusOfReset(rstCode: number): GrpcError {
  const details = `the stream was closed with HTTP/2 code ${rstCode}`;
  switch (rstCode) {
    case http2Code.refused:
      return new GrpcError(grpcCode.unavailable, details);
    case http2Code.cancel:
      return new GrpcError(grpcCode.cancelled, details);
    case http2Code.calm:
      return new GrpcError(grpcCode.resourceExhausted, details);
    case http2Code.inadequateSecurity:
      return new GrpcError(grpcCode.permissionDenied, details);
    default:
      return new GrpcError(grpcCode.internal, details);
  }
}

/** Percent-encoded UTF-8; what does not decode is shown as it is. */
function textOf(header: string | undefined): string {
  const text = (header ?? "").slice(0, grpcTextMax);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
