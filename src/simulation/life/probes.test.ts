import { describe, expect, test } from "vitest";
import { podOf, toldOf } from "./pod-life.suite.ts";

describe("the probes of a simulated pod", () => {
  const probed = (probes: object, annotations: Record<string, string> = {}) =>
    podOf({ containers: [{ name: "c", image: "i", ...probes }] }, annotations);

  test("make it ready after their delay, and as often as they must succeed", () => {
    const readinessProbe = { initialDelaySeconds: 2, periodSeconds: 5, successThreshold: 2 };
    expect(toldOf(probed({ readinessProbe })).slice(1)).toEqual([
      "200 Running c:running",
      "7200 Running* c:running,ready",
    ]);
  });

  test("take readiness away while they fail", () => {
    const readinessProbe = { periodSeconds: 5, failureThreshold: 2 };
    const told = toldOf(probed({ readinessProbe }, { "readiness-fails": "12s-31s" }), { untilMs: 60_000 });
    expect(told.slice(1)).toEqual([
      "200 Running* c:running,ready",
      "20200 Running c:running",
      "35200 Running* c:running,ready",
    ]);
    const short = toldOf(probed({ readinessProbe }, { "readiness-fails": "12s-16s" }), { untilMs: 60_000 });
    expect(short.slice(1)).toEqual(["200 Running* c:running,ready"]);
  });

  test("restart a container whose liveness probe fails", () => {
    const livenessProbe = { periodSeconds: 10, failureThreshold: 3 };
    const told = toldOf(probed({ livenessProbe }, { "liveness-fails": "15s" }), { untilMs: 60_000 });
    expect(told.slice(1, 4)).toEqual([
      "200 Running* c:running,ready",
      "40200 Running c:exit 137",
      "40200 Running* c:running,ready,1",
    ]);
  });

  test("wait for a slow start, and end one that is too slow", () => {
    const startupProbe = { periodSeconds: 2, failureThreshold: 4 };
    const started = (takes: string) => toldOf(probed({ startupProbe }, { "startup-takes": takes }), { untilMs: 9_000 });
    expect(started("5s").slice(1)).toEqual(["200 Running c:running", "6200 Running* c:running,ready"]);
    expect(started("7s").slice(1, 4)).toEqual([
      "200 Running c:running",
      "6200 Running c:exit 137",
      "6200 Running c:running,1",
    ]);
  });
});
