/** Traces through the package @opentelemetry/api, which is loaded when somebody gives a tracer, and never otherwise. */

import type * as Api from "@opentelemetry/api";
import type { SpanAttributes, Tracer, Tracing } from "./tracing.ts";

/** What is under way, and how it is said to others, is decided by the context manager and the propagator that the program has registered. */
export async function openTracing(tracer: Tracer): Promise<Tracing> {
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await loadApi();
  const given = tracer as Api.Tracer; // the interface without its types, which programs need not have
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };
  return {
    begin(name, { kind, attributes = {}, from } = {}) {
      const around = context.active();
      const isInside = from === undefined || trace.getSpan(around) !== undefined;
      const parent = isInside ? around : propagation.extract(around, from, getter);
      const span = given.startSpan(
        name,
        { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind], attributes: known(attributes) },
        parent,
      );
      const inside = trace.setSpan(parent, span);
      return {
        within: (work) => context.with(inside, work),
        end({ attributes = {}, problem } = {}) {
          span.setAttributes(known(attributes));
          if (problem !== undefined) {
            if (problem instanceof Error) span.recordException(problem);
            const message = problem instanceof Error ? problem.message : String(problem);
            span.setStatus({ code: SpanStatusCode.ERROR, message });
          }
          span.end();
        },
      };
    },
    isInside: () => trace.getSpan(context.active()) !== undefined,
    headers() {
      const headers: Record<string, string> = {};
      propagation.inject(context.active(), headers);
      return headers;
    },
    apart: (work) => context.with(ROOT_CONTEXT, work),
  };
}

/** Propagators read the headers that they know. */
const getter: Api.TextMapGetter<(header: string) => string | undefined> = {
  keys: () => [],
  get: (header, name) => header(name),
};

function known(attributes: SpanAttributes): Api.Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ""));
}

async function loadApi(): Promise<typeof Api> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    throw new Error('"tracing" needs the package @opentelemetry/api: npm install @opentelemetry/api', { cause });
  }
}
