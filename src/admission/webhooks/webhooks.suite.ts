/** For tests of webhooks: a setup with configured webhooks, and a server over TLS that answers for all of them. */

import { createManualClock } from "../../base/clock.ts";
import { type Answer, type HookServer, openHookServer } from "../../base/hook-server.suite.ts";
import { createWebhookCaller } from "../../base/webhook-caller.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Level } from "../../machinery/schema/levels.ts";
import { createWorld, type Existing } from "../admission.suite.ts";
import type { AdmissionContext } from "../context.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";

/** The answer of a webhook, by the path under which it is called. */
export type Say = (path: string, request: ReviewRequest) => object | undefined;
export interface ReviewRequest {
  readonly uid: string;
  readonly object: ApiObject;
  readonly oldObject: ApiObject | null;
  readonly [member: string]: unknown;
}

/** Answers in the version of the review. Undefined: allowed. */
export const saying =
  (say: Say): Answer =>
  (asked, response, body) => {
    const { apiVersion, request } = JSON.parse(body);
    const path = (asked.url ?? "").split("?")[0]?.slice(1) ?? "";
    const said = { uid: request.uid, allowed: true, ...say(path, request) };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ kind: "AdmissionReview", apiVersion, response: said }));
  };

export const patching = (...operations: object[]) => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

/** An entry of a configuration; the webhook is called under its name. */
export const entry = (server: HookServer, name: string, more: object = {}) => ({
  name,
  clientConfig: { url: `${server.url}/${name}`, caBundle: server.caBundle },
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*" }],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  sideEffects: "None",
  timeoutSeconds: 10,
  admissionReviewVersions: ["v1", "v1beta1"],
  ...more,
});

export async function openHookWorld(answer: Answer, level: Level = "1.21") {
  const server = await openHookServer(answer);
  const clock = createManualClock(0);
  const metrics = createWebhookMetrics();
  const caller = createWebhookCaller({
    findService: () => {
      throw new Error("there are no services here");
    },
    allows: () => true,
  });
  return {
    server,
    /** The setup with the configurations that `make` names, by kind and name. */
    world(
      make: (server: HookServer) => Readonly<Record<string, readonly object[]>>,
      existing: readonly Existing[] = [],
    ) {
      const configurations = Object.entries(make(server)).map(([path, webhooks]) => {
        const [type, name] = path.split("/");
        const object = { metadata: { name }, webhooks } as ApiObject;
        return { resource: `${type}webhookconfigurations`, object };
      });
      const world = createWorld([...configurations, ...existing], "orch", { clock, level });
      const context: AdmissionContext = { ...world.context, webhooks: { caller, metrics } };
      return { ...world, context };
    },
    metricsText: () => metrics.metrics.map((metric) => metric.text()).join(""),
    async close() {
      caller.close();
      await server.close();
    },
  };
}

export const configMap = (name = "a", data: Record<string, string> = { k: "v" }): ApiObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", creationTimestamp: null },
  data,
});
