/** A controller and its server in one trace: who asked whom, and how long each took. */

import { context, propagation, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { ConfigMap, controller, Secret } from "orch/client";

/** What `new NodeSDK(…).start()` does, with an exporter that keeps the spans. */
export function startTracing(): { readonly tracer: Tracer; readonly spans: () => ReadableSpan[] } {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer("shop"), spans: () => exporter.getFinishedSpans() };
}

export const vault = controller({
  name: "vault",
  for: ConfigMap,
  selection: { labelSelector: "app=vault" },
  async reconcile({ object, client }) {
    await client.of(Secret).apply({ metadata: { name: object.metadata.name } }, { manager: "vault", force: true });
  },
});

/** A span and its parts, one line each: "reconcile vault". */
export function printTrace(spans: readonly ReadableSpan[], root: ReadableSpan, depth = 0): string {
  const parts = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === root.spanContext().spanId);
  const line = `${"  ".repeat(depth)}${root.name}\n`;
  return line + parts.map((part) => printTrace(spans, part, depth + 1)).join("");
}
