/** Configurations that a program has in its hands: as a file, a text or an object, and errors that never repeat a secret. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shown, shownCharsMax } from "../client/config/shown.ts";
import { type ClientConfig, createServer, type OrchServer } from "../main/library.ts";
import { ConfigMap, type ConnectOptions, connect } from "./orch-client.ts";

let server: OrchServer;
let config: ClientConfig;
const folder = mkdtempSync(join(tmpdir(), "orch-content-"));
beforeAll(async () => {
  server = await createServer({ controllers: false });
  config = await server.clientConfig();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function finds(options: ConnectOptions): Promise<boolean> {
  const client = await connect(options);
  const found = await client.of(ConfigMap).find("none");
  client.close();
  return found === undefined;
}

test("a configuration is a file, a text in YAML or JSON, or an object", async () => {
  const file = join(folder, "config");
  writeFileSync(file, config.text);
  const { kubeconfig } = config;
  for (const given of [file, config.text, JSON.stringify(kubeconfig), JSON.stringify(kubeconfig, null, 2), kubeconfig])
    expect(await finds({ kubeconfig: given })).toBe(true);
});

test("certificates and keys are files or texts", async () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const { server: url, authority, certificate, key } = config;
  const kubeconfig = {};
  const texts = { certificateAuthority: authority, clientCertificate: certificate, clientKey: key };
  expect(await finds({ kubeconfig, server: url, ...texts })).toBe(true);
  const files = {
    certificateAuthority: file("ca.crt", authority),
    clientCertificate: file("tls.crt", certificate),
    clientKey: file("tls.key", key),
  };
  expect(await finds({ kubeconfig, server: url, ...files })).toBe(true);
});

test("no error repeats what may be a secret, however it is printed", async () => {
  const secret = "c2VjcmV0LXNlY3JldA";
  const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`;
  const user = (own: object) => ({
    ...config.kubeconfig,
    users: [{ name: config.kubeconfig.users[0]?.name ?? "", user: own }],
  });
  const wrong: ConnectOptions[] = [
    { kubeconfig: `users:\n- name: a\n  user: {client-key-data: ${secret}\n  b: [` },
    { kubeconfig: `{"token": "${secret}" x` },
    { kubeconfig: `kind: Secret\ndata: {a: ${secret}}` },
    { kubeconfig: secret.repeat(40) },
    { kubeconfig: pem },
    { kubeconfig: config.text.replace("current-context", `x-${secret}`) },
    { kubeconfig: user({ "client-certificate": pem, "client-key": pem }) },
    { kubeconfig: user({ "client-certificate-data": secret, "client-key-data": secret }) },
    {
      kubeconfig: user({
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-plugin", args: [secret] },
      }),
    },
    {
      kubeconfig: user({
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          interactiveMode: "Never",
          command: process.execPath,
          args: ["-e", `console.log("${secret}")`],
        },
      }),
    },
    { kubeconfig: config.text, clientKey: secret.repeat(40), clientCertificate: pem },
    { kubeconfig: config.text, token: `${secret}\n` },
    { kubeconfig: {}, server: `https://robot:${secret}@:x` },
  ];
  for (const options of wrong) {
    const error = await finds(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  }
});

test("a path that does not exist is named", async () => {
  await expect(connect({ kubeconfig: join(folder, "none") })).rejects.toThrow(
    `stat ${join(folder, "none")}: no such file`,
  );
  await expect(connect({ kubeconfig: { clusters: [] } })).rejects.toThrow(/the given configuration names no server/);
  expect([shown("a".repeat(shownCharsMax)).length, shown("a".repeat(shownCharsMax + 1))]).toEqual([
    shownCharsMax,
    "(not shown, because it may contain a secret)",
  ]);
});
