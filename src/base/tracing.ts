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
  /** Whether a span is active. */
  isInside(): boolean;
  /** With which another server continues the active span. Empty: none is active. */
  headers(): Readonly<Record<string, string>>;
  /** Work that outlives the active span, and is not a child of it. */
  apart<T>(work: () => T): T;
}

export interface TraceSpan {
  /** Spans that the work begins, also later, are children of this one. */
  within<T>(work: () => T): T;
  /** `problem`: why the work failed. */
  end(outcome?: { readonly attributes?: SpanAttributes; readonly problem?: unknown }): void;
}

/** Runs the work in a child of the active span. Without one, as when a server renews its own lease, there is no span. */
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
