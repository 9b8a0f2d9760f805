/** `server.webhook()`: a webhook beside the server that asks it, with a certificate and a configuration of its own. */

import { randomUUID } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import type { AnyObject } from "../../client/contract.ts";
import { serveWebhook } from "../../kit/webhooks/serve-webhook.ts";
import type { WebhookHandlers } from "../../kit/webhooks/webhook.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { issueAuthority, issueServing } from "../pki/issue.ts";
import type { OrchServer, WebhookOptions } from "./options.ts";

interface WebhookServer {
  readonly fetch: OrchServer["fetch"];
  readonly vocabulary: Vocabulary;
  readonly kind: BoundKind;
  /** Resolves when the server knows what was written. */
  caughtUp(): Promise<void>;
}

const host = "127.0.0.1";

export async function openTestWebhook<T extends AnyObject>(
  { fetch, vocabulary, kind, caughtUp }: WebhookServer,
  handlers: WebhookHandlers<T>,
  { operations = ["CREATE", "UPDATE"], subresource }: WebhookOptions,
): Promise<AsyncDisposable & { close(): Promise<void> }> {
  const authority = issueAuthority("webhook of a test", systemClock);
  const { certificate: cert, key } = issueServing(authority, { commonName: host, hosts: [host] }, systemClock);
  const served = await serveWebhook<T>({ ...handlers, tls: { cert, key }, host });
  const name = `webhook-${randomUUID()}`;
  const group = vocabulary.group("admissionregistration.orch.io");
  const { group: apiGroup, version, resource } = kind;
  const configured: string[] = [];
  const configure = async (path: "mutate" | "validate") => {
    const resources = path === "mutate" ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
    const webhook = {
      name: `${path}.webhook.test`,
      clientConfig: {
        url: `https://${host}:${served.port}/${path}`,
        caBundle: Buffer.from(authority.certificate).toString("base64"),
      },
      rules: [
        {
          apiGroups: [apiGroup],
          apiVersions: [version],
          resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
          operations,
        },
      ],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    const answer = await fetch(`/apis/${group}/v1/${resources}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name }, webhooks: [webhook] }),
    });
    if (!answer.ok) throw new Error(`the webhook cannot be configured: ${await answer.text()}`);
    configured.push(`/apis/${group}/v1/${resources}/${name}`);
  };
  const close = async () => {
    // The server may be closed already, and its configuration gone with it.
    for (const path of configured.splice(0)) await fetch(path, { method: "DELETE" }).catch(() => undefined);
    await served.close();
  };
  try {
    if (handlers.mutate) await configure("mutate");
    if (handlers.validate) await configure("validate");
    await caughtUp();
  } catch (error) {
    await close();
    throw error;
  }
  return { close, [Symbol.asyncDispose]: close };
}
