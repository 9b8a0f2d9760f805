import { describe, expect, test } from "vitest";
import { type HookServer, openHookServer } from "../../src/base/hook-server.suite.ts";
import type { OrchServer } from "../../src/main/library.ts";
import {
  ask,
  type Body,
  definition,
  definitions,
  merge,
  version,
  widget,
  widgets,
  withServer,
} from "./custom-resources.suite.ts";

interface Asked {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Body[] };
}

/** v1 has spec.old, v2 has spec.new. */
function converted({ request: { desiredAPIVersion, objects } }: Asked): Body[] {
  return objects.map((object) => {
    const { old, new: young } = (object["spec"] ?? {}) as { old?: number; new?: number };
    const spec = desiredAPIVersion.endsWith("v2") ? { new: old } : { old: young };
    return { ...object, apiVersion: desiredAPIVersion, spec };
  });
}

const properties = { spec: { type: "object", properties: { old: { type: "integer" }, new: { type: "integer" } } } };
const schema = { openAPIV3Schema: { type: "object", properties } };
const second = widgets.replace("v1", "v2");

/** A server whose widgets are converted by a webhook, which answers with what `make` makes of the objects. */
async function withWebhook(
  use: (server: OrchServer, hook: HookServer) => Promise<void>,
  make: (asked: Asked) => unknown[] = converted,
) {
  const hook = await openHookServer((_, response, body) => {
    const asked = JSON.parse(body) as Asked;
    const convertedObjects = make(asked);
    const { uid } = asked.request;
    const answer = { uid, result: { status: "Success" }, convertedObjects };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ kind: "ConversionReview", apiVersion: asked.apiVersion, response: answer }));
  });
  const clientConfig = { url: hook.url, caBundle: hook.caBundle };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  const base = definition({ versions: [version("v1", { schema }), version("v2", { schema })] });
  try {
    // Controllers follow all resources, in the version that is preferred, and would have objects converted as well.
    const options = { controllers: false as const };
    await withServer((server) => use(server, hook), { ...base, spec: { ...base.spec, conversion } }, options);
  } finally {
    await hook.close();
  }
}

describe("a conversion webhook", () => {
  test("is not called for the stored version", () =>
    withWebhook(async (server, hook) => {
      await ask(server, "POST", widgets, widget("a", { spec: { old: 1 } }));
      expect((await ask(server, "GET", widgets)).status).toBe(200);
      expect(hook.calls).toEqual([]);
    }));

  test("converts objects that are read and written in another version, and lists in one call", () =>
    withWebhook(async (server, hook) => {
      for (const name of ["a", "b", "c"]) await ask(server, "POST", widgets, widget(name, { spec: { old: 1 } }));
      const { body } = await ask(server, "GET", second);
      expect((body["items"] as Body[]).map(({ spec }) => spec)).toEqual([{ new: 1 }, { new: 1 }, { new: 1 }]);
      expect(hook.calls).toHaveLength(1);
      const made = await ask(server, "POST", second, widget("d", { spec: { new: 4 } }, "example.com/v2"));
      expect(made).toMatchObject({ status: 201, body: { apiVersion: "example.com/v2", spec: { new: 4 } } });
      expect((await ask(server, "GET", `${widgets}/d`)).body["spec"]).toEqual({ old: 4 });
      const patched = await ask(server, "PATCH", `${second}/d`, { spec: { new: 5 } }, merge);
      expect(patched).toMatchObject({ status: 200, body: { metadata: { generation: 2 }, spec: { new: 5 } } });
      expect((await ask(server, "GET", `${widgets}/d`)).body["spec"]).toEqual({ old: 5 });
      expect((await ask(server, "DELETE", `${second}/d`)).status).toBe(200);
    }));

  test("converts the events of watches, in order", () =>
    withWebhook(async (server) => {
      const response = await server.fetch(`${second}?watch=1`);
      for (let old = 1; old <= 20; old++) await ask(server, "POST", widgets, widget(`w${old}`, { spec: { old } }));
      await ask(server, "DELETE", `${definitions}/widgets.example.com`);
      const events = (await response.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Body);
      const added = events.filter(({ type }) => type === "ADDED").map(({ object }) => (object as Body)["spec"]);
      expect(added).toEqual(Array.from({ length: 20 }, (_, index) => ({ new: index + 1 })));
    }));

  test("that fails makes reads in the other version fail, but not reads of the stored version or deletes", () =>
    withWebhook(
      async (server) => {
        await ask(server, "POST", widgets, widget("a", { spec: { old: 1 } }));
        for (const path of [second, `${second}/a`]) {
          const failed = await ask(server, "GET", path);
          expect(failed.status).toBe(500);
          expect(failed.body["message"]).toContain("conversion webhook for example.com/v1, Kind=Widget failed");
        }
        expect((await ask(server, "PATCH", `${second}/a`, { spec: { new: 2 } }, merge)).status).toBe(500);
        expect((await ask(server, "GET", `${widgets}/a`)).body["spec"]).toEqual({ old: 1 });
        expect((await ask(server, "DELETE", `${widgets}/a`)).status).toBe(200);
      },
      () => [],
    ));

  test("that gives one object the identity of another is refused, whatever the order of a list", () =>
    withWebhook(
      async (server) => {
        for (const name of ["a", "b"]) await ask(server, "POST", widgets, widget(name, { spec: { old: 1 } }));
        expect((await ask(server, "GET", second)).status).toBe(500);
      },
      (asked) => converted(asked).reverse(),
    ));

  test("cannot add unknown fields, nor change a prototype", () =>
    withWebhook(
      async (server) => {
        await ask(server, "POST", widgets, widget("a", { spec: { old: 1 } }));
        const { body } = await ask(server, "GET", `${second}/a`);
        expect(body["spec"]).toEqual({ new: 1 });
        expect(body["evil"]).toBeUndefined();
        expect(({} as Body)["polluted"]).toBeUndefined();
      },
      (asked) =>
        converted(asked).map((object) => ({
          ...object,
          evil: 1,
          spec: JSON.parse('{"new":1,"__proto__":{"polluted":1},"x":2}'),
        })),
    ));
});
