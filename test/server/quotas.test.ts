/** Quotas of a whole server: charged for what is stored, and never beyond their limits. */

import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const patch = { "content-type": "application/merge-patch+json" };
const base = "/api/v1/namespaces/default";

async function withQuota(hard: Record<string, string>, run: (fetch: OrchServer["fetch"]) => Promise<void>) {
  await using server = await createServer();
  const { fetch } = server;
  const quota = { metadata: { name: "q" }, spec: { hard } };
  await fetch(`${base}/resourcequotas`, { method: "POST", headers: json, body: JSON.stringify(quota) });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  const body = JSON.stringify({ status: { hard, used } });
  await fetch(`${base}/resourcequotas/q/status`, { method: "PATCH", headers: patch, body });
  await run(fetch);
}
const create = async (fetch: OrchServer["fetch"], name: string) => {
  const body = JSON.stringify({ metadata: { name } });
  return (await fetch(`${base}/configmaps`, { method: "POST", headers: json, body })).status;
};
const usedOf = async (fetch: OrchServer["fetch"]) => {
  const quota = (await (await fetch(`${base}/resourcequotas/q`)).json()) as { status: { used: unknown } };
  return quota.status.used;
};

test("of many concurrent creates only as many succeed as the quota allows", () =>
  withQuota({ configmaps: "5" }, async (fetch) => {
    const codes = await Promise.all(Array.from({ length: 20 }, (_, index) => create(fetch, `c${index}`)));
    expect(codes.filter((code) => code === 201)).toHaveLength(5);
    expect(codes.filter((code) => code === 403)).toHaveLength(15);
    expect(await usedOf(fetch)).toEqual({ configmaps: "5" });
  }));

test("a create whose name is taken is not charged", () =>
  withQuota({ configmaps: "5" }, async (fetch) => {
    expect([await create(fetch, "c"), await create(fetch, "c")]).toEqual([201, 409]);
    expect(await usedOf(fetch)).toEqual({ configmaps: "1" });
  }));

test("usage is written in the name of the server, not of the user who created the object", () =>
  withQuota({ configmaps: "5" }, async (fetch) => {
    await create(fetch, "c");
    const quota = (await (await fetch(`${base}/resourcequotas/q`)).json()) as {
      metadata: { managedFields: { manager: string; fieldsV1: Record<string, unknown> }[] };
    };
    const server = quota.metadata.managedFields.find(({ manager }) => manager === "orch-apiserver");
    expect(server?.fieldsV1).toEqual({ "f:status": { "f:used": { "f:configmaps": {} } } });
  }));

test("of many concurrent creates of one name only the stored one is charged", () =>
  withQuota({ configmaps: "9" }, async (fetch) => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => create(fetch, "same")));
    expect(codes.filter((code) => code === 201)).toHaveLength(1);
    expect(codes.filter((code) => code === 409)).toHaveLength(19);
    expect(await usedOf(fetch)).toEqual({ configmaps: "1" });
  }));

test("custom resources are counted like all others", () =>
  withQuota({ "count/widgets.example.com": "1" }, async (fetch) => {
    const send = (path: string, body: object) =>
      fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    const schema = { openAPIV3Schema: { type: "object" } };
    await send("/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const widgets = "/apis/example.com/v1/namespaces/default/widgets";
    await expect.poll(async () => (await fetch(widgets)).status).toBe(200);
    const make = async (name: string) => {
      const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name } };
      return (await send(widgets, widget)).status;
    };
    expect([await make("a"), await make("b")]).toEqual([201, 403]);
    expect(await usedOf(fetch)).toEqual({ "count/widgets.example.com": "1" });
  }));
