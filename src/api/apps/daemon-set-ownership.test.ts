import { expect, test } from "vitest";
import { createServer } from "../../main/library.ts";

test("a status that is sent without the count of template changes owns the count, which stays", async () => {
  await using server = await createServer({ controllers: false, emulatedVersion: "1.35" });
  const set = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "x" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
  const send = async (method: string, path: string) => {
    const headers = { "content-type": "application/json" };
    const url = `/apis/apps/v1/namespaces/default/daemonsets${path}`;
    return (await (await server.fetch(url, { method, headers, body: JSON.stringify(set) })).json()) as {
      metadata: { annotations: object; managedFields: { fieldsV1: Record<string, object>; subresource?: string }[] };
    };
  };
  const count = "deprecated.daemonset.template.generation";
  const of = ({ metadata }: Awaited<ReturnType<typeof send>>) =>
    metadata.managedFields.map(({ fieldsV1 }) => fieldsV1["f:metadata"]);
  expect(of(await send("POST", ""))).toEqual([{ "f:annotations": { ".": {}, [`f:${count}`]: {} } }]);
  const updated = await send("PUT", "/x/status");
  expect(of(updated)).toEqual([{ "f:annotations": {} }, { "f:annotations": { [`f:${count}`]: {} } }]);
  expect(updated.metadata.annotations).toEqual({ [count]: "1" });
});
