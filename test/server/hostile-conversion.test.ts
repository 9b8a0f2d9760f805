/** Conversion webhooks at level 1.35 that flood, lie, break off or call back: the read fails with a message, and nothing is lost. */

import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type HookServer, openHookServer } from "../../src/base/hook-server.suite.ts";
import { webhookAnswerBytesMax } from "../../src/base/webhook-caller.ts";
import type { OrchServer } from "../../src/main/library.ts";
import {
  ask,
  type Body,
  definition,
  definitions,
  version,
  widget,
  widgets,
  withServer,
} from "./custom-resources.suite.ts";

interface Asked {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Body[] };
}

const second = widgets.replace("v1", "v2");

const honest = ({ apiVersion, request: { uid, desiredAPIVersion, objects } }: Asked) => ({
  kind: "ConversionReview",
  apiVersion,
  response: {
    uid,
    result: { status: "Success" },
    convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion })),
  },
});

type Behaviour = (asked: Asked, response: ServerResponse) => void;

/** A server with one widget of v1, whose other version the webhook makes. */
async function withWebhook(
  use: (server: OrchServer, hook: HookServer, become: (behaviour: Behaviour) => void) => Promise<void>,
) {
  let behaviour: Behaviour = (asked, response) => response.end(JSON.stringify(honest(asked)));
  const hook = await openHookServer((_, response, body) => behaviour(JSON.parse(body) as Asked, response));
  const clientConfig = { url: hook.url, caBundle: hook.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const base = definition({ versions: [version("v1", {}), version("v2", {})] });
  const options = { controllers: false as const, emulatedVersion: "1.35" as const };
  try {
    await withServer(
      async (server) => {
        await ask(server, "POST", widgets, widget("a"));
        await use(server, hook, (next) => {
          behaviour = next;
        });
      },
      { ...base, spec: { ...base.spec, conversion } },
      options,
    );
  } finally {
    await hook.close();
  }
}

const changed = (asked: Asked, change: (object: Body) => Body) => {
  const answer = honest(asked);
  return JSON.stringify({
    ...answer,
    response: {
      ...answer.response,
      convertedObjects: answer.response.convertedObjects.map((one) => change(one as Body)),
    },
  });
};

const hostile: Record<string, readonly [Behaviour, message: string]> = {
  "is larger than an answer may be": [
    (_, response) => response.end("x".repeat(webhookAnswerBytesMax + 1)),
    "the answer is larger than",
  ],
  "has no end": [
    (_, response) => {
      const more = () => void (response.destroyed || response.write("x".repeat(65_536), more));
      more();
    },
    "the answer is larger than",
  ],
  "breaks off": [(_, response) => void response.write('{"kind":', () => response.destroy()), "failed"],
  "is a redirect": [(_, response) => response.writeHead(302, { location: "/" }).end(), "status 302"],
  "is not JSON": [(_, response) => response.end("<html>"), "failed"],
  "nests deeply": [(_, response) => response.end("[".repeat(100_000)), "failed"],
  "is about another review": [
    (asked, response) =>
      response.end(JSON.stringify({ ...honest(asked), response: { ...honest(asked).response, uid: "x" } })),
    "response.uid must be",
  ],
  "has too few objects": [
    (asked, response) =>
      response.end(JSON.stringify({ ...honest(asked), response: { ...honest(asked).response, convertedObjects: [] } })),
    "0 objects were returned instead of 1",
  ],
  "has another name": [
    (asked, response) =>
      response.end(changed(asked, (one) => ({ ...one, metadata: { ...(one["metadata"] as Body), name: "b" } }))),
    "metadata.name must not be changed",
  ],
  "has another kind": [
    (asked, response) => response.end(changed(asked, (one) => ({ ...one, kind: "Gadget" }))),
    "of kind Widget",
  ],
  "has a version that was not wanted": [
    (asked, response) => response.end(changed(asked, (one) => ({ ...one, apiVersion: "example.com/v1" }))),
    "must be of example.com/v2",
  ],
  "has a very long reason": [
    (asked, response) =>
      response.end(
        JSON.stringify({
          ...honest(asked),
          response: { uid: asked.request.uid, result: { status: "Failure", message: "m".repeat(1e6) } },
        }),
      ),
    "mmm",
  ],
};

describe("an answer of a conversion webhook", () => {
  test("that breaks a rule fails the read of the other version with a short message, and nothing else", async () => {
    await withWebhook(async (server, _hook, become) => {
      const before = await ask(server, "GET", `${widgets}/a`);
      for (const [what, [behaviour, message]] of Object.entries(hostile)) {
        become(behaviour);
        const failed = await ask(server, "GET", `${second}/a`);
        expect([what, failed.status, failed.body["message"]]).toEqual([what, 500, expect.stringContaining(message)]);
        expect(String(failed.body["message"]).length).toBeLessThan(2_000);
        expect((await ask(server, "GET", second)).status).toBe(500);
      }
      expect(await ask(server, "GET", `${widgets}/a`)).toEqual(before);
    });
  });

  // It ends with the time that a webhook may take: half a minute of waiting.
  test.runIf(process.env["LONG_TESTS"] !== undefined)(
    "that needs the same object in the same version fails, and does not go on for ever",
    {
      timeout: 120_000,
    },
    async () => {
      await withWebhook(async (server, hook, become) => {
        become((asked, response) => {
          void ask(server, "GET", `${second}/a`).then(({ status }) =>
            status === 200 ? response.end(JSON.stringify(honest(asked))) : response.writeHead(500).end(),
          );
        });
        expect((await ask(server, "GET", `${second}/a`)).status).toBeGreaterThanOrEqual(429);
        expect(hook.calls.length).toBeLessThan(1_000);
        become((asked, response) => response.end(JSON.stringify(honest(asked))));
        expect((await ask(server, "GET", `${second}/a`)).status).toBe(200);
      });
    },
  );
});

test("the stored version can change while the webhook is down, and every object is there when it is back", async () => {
  await withWebhook(async (server, _hook, become) => {
    become((_, response) => response.destroy());
    const path = `${definitions}/widgets.example.com`;
    const change = async () => {
      const { body } = await ask(server, "GET", path);
      const spec = body["spec"] as { versions: Body[] };
      const versions = spec.versions.map((one) => ({ ...one, storage: one["name"] === "v2" }));
      return (await ask(server, "PUT", path, { ...body, spec: { ...spec, versions } })).status;
    };
    // The server itself may write the definition's status in between.
    await expect.poll(change).toBe(200);
    // What is stored needs no conversion; what is written must be converted.
    await expect.poll(async () => (await ask(server, "POST", widgets, widget("b"))).status).toBe(500);
    expect((await ask(server, "GET", `${widgets}/a`)).status).toBe(200);
    expect((await ask(server, "GET", second)).status).toBe(500);
    become((asked, response) => response.end(JSON.stringify(honest(asked))));
    expect((await ask(server, "POST", widgets, widget("b"))).status).toBe(201);
    const names = async (at: string) =>
      ((await ask(server, "GET", at)).body["items"] as { metadata: { name: string } }[]).map(
        (one) => one.metadata.name,
      );
    expect([await names(widgets), await names(second)]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });
});
