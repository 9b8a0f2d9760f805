import { expect, test } from "vitest";
import type { AuditEvent } from "./contract.ts";
import { event, idOf, lost } from "./events.suite.ts";
import { createAuditMetrics } from "./metrics.ts";
import { membersOf, printEvent } from "./print.ts";
import { withTruncation } from "./truncate.ts";

test("an event that is too large loses its objects, and itself if that is not enough", () => {
  const written: AuditEvent[] = [];
  const metrics = createAuditMetrics();
  const print = (one: AuditEvent) => printEvent(one, "audit.orch.io", "v1");
  const inner = { name: "log", write: (one: AuditEvent) => void written.push(one), close: async () => {} };
  const sink = withTruncation(inner, { eventBytesMax: 600, annotation: "audit.orch.io/truncated", print, metrics });
  sink.write(event("small"));
  sink.write(event("large", { requestObject: JSON.stringify("x".repeat(600)) }));
  sink.write(event("x".repeat(600)));
  expect(written.map(idOf)).toEqual(["small", "large"]);
  expect(written[1]!.requestObject).toBeUndefined();
  expect(membersOf(written[1]!).annotations).toEqual({ "audit.orch.io/truncated": "true" });
  expect(lost(metrics)).toBe("1");
});
