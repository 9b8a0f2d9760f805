/** Spans of work that belongs together over several programs, as OpenTelemetry has them. */

/**
 * What `trace.getTracer("name")` of @opentelemetry/api returns.
 * @example
 * const tracing: Tracer = trace.getTracer("shop");
 */
export interface Tracer {
  startSpan(name: string, options?: object, context?: object): object;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface SpanOptions {
  /** "server": work for a request from elsewhere; "client": a request to elsewhere. Default: neither. */
  readonly kind?: "server" | "client";
  readonly attributes?: SpanAttributes;
  /** The headers of the request, which may say of what this is a part. Absent: a part of what is under way here. */
  readonly from?: (header: string) => string | undefined;
}

export interface Tracing {
  begin(name: string, options?: SpanOptions): TraceSpan;
  /** Whether something is under way here. */
  isInside(): boolean;
  /** By which another server goes on with what is under way here. Empty: nothing is. */
  headers(): Readonly<Record<string, string>>;
  /** For work that goes on longer than what is under way here, and is no part of it. */
  apart<T>(work: () => T): T;
}

export interface TraceSpan {
  /** What begins within, also later, is a part of the span. */
  within<T>(work: () => T): T;
  /** `problem`: why the work failed. */
  end(outcome?: { readonly attributes?: SpanAttributes; readonly problem?: unknown }): void;
}

/** Runs the work as a part of what is under way. What a server does by itself, such as to renew a lease, is no span. */
export function asPart<T>(
  tracing: Tracing,
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracing.isInside() ? inSpan(tracing.begin(name, { attributes }), work) : work();
}

/** Runs the work in a span of its own. `isProblem`: whether an error of it means that it failed; default: each does. */
export async function inSpan<T>(
  span: TraceSpan,
  work: () => Promise<T>,
  isProblem: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    const result = await span.within(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ problem: isProblem(error) ? error : undefined });
    throw error;
  }
}
