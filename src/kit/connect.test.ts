/** Where a client gets its server and credentials from, over HTTPS: a plugin, the account of a pod, files that the environment names. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import { connectFrom } from "./connect.ts";
import { type Client, ConfigMap, connect, isForbidden, ServiceAccount } from "./orch-client.ts";

let server: OrchServer;
let url: URL;
let admin: Client;
const folder = mkdtempSync(join(tmpdir(), "orch-connect-"));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const around = { env: { PATH: process.env["PATH"] }, home: folder, isInteractive: false };

beforeAll(async () => {
  const tokens = { secret: { name: "robot", groups: ["system:masters"] } };
  server = await createServer({ authorization: "RBAC", tokens });
  url = new URL(await server.listen());
  admin = await connect({ server });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The plugin counts its runs in a file, and gives the token that the file of tokens has. */
const plugin = `
const { appendFileSync, readFileSync } = require("node:fs");
appendFileSync(process.env.RUNS, "x");
const { apiVersion, kind } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const status = { token: readFileSync(process.argv[2], "utf8") };
console.log(JSON.stringify({ apiVersion, kind, status }));
`;

test("a credential plugin is run when a request needs it, and again when the server refuses what it gave", async () => {
  const { authority } = await server.clientConfig();
  const token = file("token", "old");
  const runs = file("runs", "");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: process.execPath,
    args: [file("plugin.cjs", plugin), token],
    env: [{ name: "RUNS", value: runs }],
  };
  const kubeconfig = file(
    "exec.json",
    JSON.stringify({
      "current-context": "c",
      clusters: [
        {
          name: "c",
          cluster: {
            server: url.href,
            "certificate-authority-data": Buffer.from(authority).toString("base64"),
          },
        },
      ],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u", namespace: "default" } }],
    }),
  );
  const client = await connect({ kubeconfig, vocabulary: "orch" });
  expect(readFileSync(runs, "utf8")).toBe("");
  await expect(client.of(ConfigMap).list({ namespace: "default" }).all()).rejects.toThrow("Unauthorized");
  writeFileSync(token, "secret");
  const made = await client.of(ConfigMap).create({ metadata: { name: "by-plugin" } });
  expect(made.metadata.namespace).toBe("default");
  const before = readFileSync(runs, "utf8").length;
  await client.of(ConfigMap).get("by-plugin");
  expect([readFileSync(runs, "utf8").length, before > 0]).toEqual([before, true]);
  client.close();
});

for (const names of ["ORCH", "KUBERNETES"])
  test(`inside a cluster the account of the pod is used, with the variables of ${names}`, async () => {
    const accounts = admin.of(ServiceAccount);
    await accounts.apply({ metadata: { name: "pod" } }, { manager: "test" });
    const { status } = await accounts.token("pod");
    const mount = join(folder, `mount-${names}`);
    mkdirSync(mount);
    writeFileSync(join(mount, "token"), status?.token ?? "");
    writeFileSync(join(mount, "ca.crt"), (await server.clientConfig()).authority);
    writeFileSync(join(mount, "namespace"), "default");
    const env = { [`${names}_SERVICE_HOST`]: url.hostname, [`${names}_SERVICE_PORT`]: url.port };
    const client = await connectFrom({ ...around, env, mounts: [mount] });
    expect([client.vocabulary, client.namespace]).toEqual(["orch", "default"]);
    const refused = await client
      .of(ConfigMap)
      .get("any")
      .catch((error: unknown) => error);
    expect(isForbidden(refused) && refused.message).toContain('User "system:serviceaccount:default:pod"');
    client.close();
  });

test("files that the environment names come before those of the home folder, and without any the message says what to do", async () => {
  const { text } = await server.clientConfig();
  mkdirSync(join(folder, ".kube"));
  writeFileSync(join(folder, ".kube/config"), text.replace(url.port, "1"));
  const named = await connectFrom({ ...around, env: { KUBECONFIG: file("named", text) } });
  expect(await named.of(ConfigMap).find("none")).toBeUndefined();
  named.close();
  const own = connectFrom({ ...around, env: {} });
  await expect(own).rejects.toThrow();
  rmSync(join(folder, ".kube"), { recursive: true });
  await expect(connectFrom({ ...around, env: {} })).rejects.toThrow(
    /no server is configured: pass "server" or "kubeconfig", set KUBECONFIG/,
  );
});
