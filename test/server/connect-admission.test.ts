import { expect, test } from "vitest";
import { type AdmissionPlugin, createServer, type OrchServer } from "../../src/main/library.ts";

const core = "/api/v1/namespaces/default";
const post = (server: OrchServer, path: string, body: object) =>
  server.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("every kind of connection passes admission (C13 in docs/security-rows.md)", async () => {
  const asked: string[] = [];
  const record: AdmissionPlugin = {
    name: "Record",
    handles: ({ operation }) => operation === "CONNECT",
    validate: ({ kind, subresource, name }) => void asked.push(`${kind.resource}/${subresource} ${name}`),
  };
  await using server = await createServer({ admission: [record] });
  const paths = [
    `${core}/pods/p/exec?command=ls`,
    `${core}/pods/p/attach`,
    `${core}/pods/p/portforward`,
    `${core}/pods/p/proxy`,
    `${core}/pods/p/proxy/deeper`,
    `${core}/services/https:s:443/proxy`,
    "/api/v1/nodes/n/proxy/pods",
  ];
  for (const path of paths) await server.fetch(path, { method: "POST" });
  expect(asked).toEqual([
    "pods/exec p",
    "pods/attach p",
    "pods/portforward p",
    "pods/proxy p",
    "pods/proxy p",
    "services/proxy https:s:443",
    "nodes/proxy n",
  ]);
});

test("exec and attach are refused for pods that could reach their node, and only for those", async () => {
  await using server = await createServer({ enableAdmissionPlugins: ["DenyEscalatingExec"] });
  const containers = [{ name: "c", image: "i" }];
  await post(server, `${core}/pods`, { metadata: { name: "open" }, spec: { containers } });
  await post(server, `${core}/pods`, { metadata: { name: "host" }, spec: { containers, hostPID: true } });
  const codes = async (name: string) => [
    (await server.fetch(`${core}/pods/${name}/exec?command=ls`, { method: "POST" })).status,
    (await server.fetch(`${core}/pods/${name}/attach`, { method: "POST" })).status,
  ];
  expect(await codes("host")).toEqual([403, 403]);
  expect(await codes("open")).not.toContain(403);
});
