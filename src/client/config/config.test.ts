import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../machinery/json/json-value.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import { resolveAccess } from "./access.ts";
import { execPluginOf, PluginCredentials, readCredential } from "./exec-plugin.ts";
import { mergeConfigs, parseConfigFile, withEntry } from "./file.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { configPaths, loadConfigFiles } from "./load.ts";
import { openTransport } from "./transport.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orch-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return { path: join(folder, name), value: parseConfigFile(join(folder, name), text) };
};

const one = () =>
  file(
    "one",
    `apiVersion: v1
kind: Config
current-context: dev
clusters:
- {name: c, cluster: {server: "https://one:6443/"}}
users:
- {name: u, user: {token: secret, as: jane, as-groups: [a, "b,c"]}}
- {name: old, user: {auth-provider: {name: gcp}}}
contexts:
- {name: dev, context: {cluster: c, user: u, namespace: shop}}
- {name: broken, context: {cluster: c, user: old}}
- {name: lost, context: {cluster: nowhere, user: u}}
`,
  );
const two = () =>
  file(
    "two",
    `clusters:\n- {name: c, cluster: {server: "https://two"}}\n- {name: d, cluster: {server: "https://d"}}\n`,
  );

describe("several files", () => {
  test("are merged, and the first entry of a name wins", () => {
    const merged = mergeConfigs([one(), { path: "absent", value: undefined }, two()]);
    expect(merged.clusters.get("c")?.value).toEqual({ server: "https://one:6443/" });
    expect(merged.clusters.get("d")?.file).toBe(join(folder, "two"));
    expect(merged.currentContext).toBe("dev");
  });
  test("are found by flag, then by the environment, then in the home folder; only that of a flag must exist", () => {
    expect(configPaths({ explicit: "/x", env: { KUBECONFIG: "/y" }, home: "/h" }).paths).toEqual(["/x"]);
    expect(configPaths({ explicit: "", env: { KUBECONFIG: "/y:/z:" }, home: "/h" }).paths).toEqual(["/y", "/z"]);
    expect(configPaths({ explicit: "", env: {}, home: "/h" }).paths).toEqual(["/h/.orch/config", "/h/.kube/config"]);
    const absent = { paths: [join(folder, "none")], fallback: "" };
    expect(loadConfigFiles({ ...absent, isExplicit: false })[0]?.value).toBeUndefined();
    expect(() => loadConfigFiles({ ...absent, isExplicit: true })).toThrow("none: no such file or directory");
  });
  test("that are not client configurations are refused by name", () => {
    expect(() => parseConfigFile("f", "apiVersion: v2")).toThrow('error loading config file "f"');
    expect(() => parseConfigFile("f", "clusters: 5")).toThrow("clusters must be a list");
  });
  test("keep their other entries when one is written", () => {
    const changed = withEntry(one().value, "contexts", "dev", undefined);
    expect(changed["contexts"]).toHaveLength(2);
  });
});

describe("access", () => {
  const merged = () => mergeConfigs([one()]);
  test("comes from the current context, and impersonation with it", () => {
    const access = resolveAccess(merged(), {});
    expect({ ...access, token: access?.token?.() }).toEqual({
      server: "https://one:6443",
      namespace: "shop",
      tls: {},
      token: "secret",
      basic: undefined,
      exec: undefined,
      impersonate: { user: "jane", groups: ["a", "b,c"], extra: {} },
    });
  });
  test("follows flags before files", () => {
    const access = resolveAccess(merged(), { server: "localhost:8080", token: "other", namespace: "n", as: "joe" });
    expect([access?.server, access?.token?.(), access?.namespace, access?.impersonate?.user]).toEqual([
      "http://localhost:8080",
      "other",
      "n",
      "joe",
    ]);
  });
  const refused = [
    {
      why: "a missing context",
      flags: { context: "nope" },
      says: "context was not found for specified context: nope",
    },
    { why: "an unknown cluster", flags: { cluster: "nope" }, says: 'no server found for cluster "nope"' },
    { why: "an unknown user", flags: { user: "nope" }, says: 'auth info "nope" does not exist' },
    { why: "a context with an unknown cluster", flags: { context: "lost" }, says: 'cluster "nowhere" does not exist' },
    { why: "an auth provider", flags: { context: "broken" }, says: 'the auth provider "gcp" is not supported' },
    {
      why: "an authority beside the insecure flag",
      flags: { insecureSkipTlsVerify: true, certificateAuthority: "/etc/hostname" },
      says: "is not allowed",
    },
  ];
  for (const { why, flags, says } of refused)
    test(`refuses ${why}`, () => expect(() => resolveAccess(merged(), flags)).toThrow(says));
  test("never shows a file that is not a token", () => {
    writeFileSync(join(folder, "token"), "se\ncret");
    const config = inClusterConfig({ KUBERNETES_SERVICE_HOST: "::1", KUBERNETES_SERVICE_PORT: "6443" }, [folder]);
    const tokens = [
      config && resolveAccess(config, {})?.token,
      resolveAccess(merged(), { server: "localhost", token: "se\u0000cret" })?.token,
    ];
    for (const token of tokens) expect(token).toThrow(/is not a token: it contains characters/);
    for (const token of tokens) expect(token).not.toThrow(/se.?cret/s);
  });
  test("is undefined if nothing names a server", () => expect(resolveAccess(mergeConfigs([]), {})).toBeUndefined());
  test("inside a cluster comes from the environment and a mounted folder", () => {
    writeFileSync(join(folder, "token"), "t\n");
    const config = inClusterConfig({ KUBERNETES_SERVICE_HOST: "::1", KUBERNETES_SERVICE_PORT: "6443" }, [folder]);
    const access = config && resolveAccess(config, {});
    expect([access?.server, access?.token?.()]).toEqual(["https://[::1]:6443", "t"]);
    expect(inClusterConfig({}, [folder])).toBeUndefined();
  });
});

describe("credential plugins", () => {
  const version = "client.authentication.orch.io/v1beta1";
  test("get the authority of the cluster, also one in a file", () => {
    writeFileSync(join(folder, "ca.crt"), "an authority");
    const located = (value: JsonObject) => ({ value, file: join(folder, "config") });
    const exec = { command: "x", apiVersion: version, provideClusterInfo: true };
    const cluster = located({ "certificate-authority": "ca.crt" });
    expect(execPluginOf(exec, located({}), { cluster, server: "https://s" }).cluster).toEqual({
      server: "https://s",
      "certificate-authority-data": Buffer.from("an authority").toString("base64"),
    });
  });
  const script = (name: string, body: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const configured = (exec: string) =>
    mergeConfigs([
      file(
        "exec",
        `current-context: x
clusters: [{name: c, cluster: {server: "https://h", extensions: [{name: client.authentication.orch.io/exec, extension: {a: 1}}]}}]
users: [{name: u, user: {exec: ${exec}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]`,
      ),
    ]);
  const credentialsOf = (exec: string, clock = createManualClock(0)) => {
    const plugin = resolveAccess(configured(exec), {})?.exec;
    if (plugin === undefined) throw new Error("no plugin");
    return new PluginCredentials(plugin, { clock, env: { PATH: process.env["PATH"] }, isInteractive: false });
  };
  test("run a command relative to the file, with the cluster information in the environment", async () => {
    script(
      "plugin",
      `printf '{"apiVersion":"${version}","status":{"token":"%s"}}' "$(printf '%s' "$ORCH_EXEC_INFO$X$1" | base64 -w0)"`,
    );
    const { token } = await credentialsOf(
      `{command: ./plugin, apiVersion: ${version}, args: [arg], env: [{name: X, value: env}], provideClusterInfo: true}`,
    ).get();
    const info = `{"kind":"ExecCredential","apiVersion":"${version}","spec":{"cluster":{"server":"https://h","config":{"a":1}}}}`;
    expect(Buffer.from(token, "base64").toString()).toBe(`${info}envarg`);
  });
  test("are never looked for on the PATH when their command is relative to a file that is named by a relative path", () => {
    const user = { value: {}, file: "config" };
    const exec = { command: "./plugin", apiVersion: version };
    const { command } = execPluginOf(exec, user, { cluster: undefined, server: "https://h" });
    expect(command).toBe(join(process.cwd(), "plugin"));
  });
  test("run again only when their credential has expired or was refused", async () => {
    script(
      "counter",
      `echo x >> "${folder}/count"\nprintf '{"apiVersion":"${version}","status":{"token":"%s","expirationTimestamp":"1970-01-01T00:00:10Z"}}' "$(wc -l < "${folder}/count")"`,
    );
    const clock = createManualClock(0);
    const credentials = credentialsOf(`{command: ./counter, apiVersion: ${version}}`, clock);
    const first = await credentials.get();
    expect((await credentials.get()).token).toBe(first.token);
    await credentials.refuse(first);
    const second = await credentials.get();
    expect(second.token).not.toBe(first.token);
    clock.advance(11_000);
    expect((await credentials.get()).token).not.toBe(second.token);
  });
  test("that are missing are reported with their hint", async () => {
    const missing = credentialsOf(
      `{command: no-such-plugin, apiVersion: ${version}, installHint: "get it from the shelf"}`,
    );
    await expect(missing.get()).rejects.toThrow(/executable no-such-plugin not found[\s\S]*get it from the shelf/);
  });
  test("that fail are refused", async () => {
    script("fails", "exit 3");
    await expect(credentialsOf(`{command: ./fails, apiVersion: ${version}}`).get()).rejects.toThrow(
      "failed with exit code 3",
    );
  });
  const bad = [
    {
      why: "another version",
      value: { apiVersion: "client.authentication.orch.io/v1alpha1", status: { token: "t" } },
      says: "plugin returned version",
    },
    { why: "no status", value: { apiVersion: version }, says: "didn't return a status" },
    {
      why: "an empty status",
      value: { apiVersion: version, status: {} },
      says: "didn't return a token or cert/key pair",
    },
    {
      why: "a certificate without a key",
      value: { apiVersion: version, status: { clientKeyData: "k" } },
      says: "only certificate or key",
    },
    {
      why: "an invalid expiration time",
      value: { apiVersion: version, status: { token: "t", expirationTimestamp: "soon" } },
      says: "RFC 3339",
    },
  ];
  for (const { why, value, says } of bad)
    test(`that give ${why} are refused`, () =>
      expect(() => readCredential(value, { apiVersion: version })).toThrow(says));
  test("say whether they need the standard input, in v1 always", async () => {
    const v1 = "client.authentication.orch.io/v1";
    const of = (mode: string) => credentialsOf(`{command: "true", apiVersion: ${v1}${mode}}`);
    expect(() => of("")).toThrow("interactiveMode must be specified");
    expect(() => of(", interactiveMode: Sometimes")).toThrow('invalid interactiveMode "Sometimes"');
    await expect(of(", interactiveMode: Always").get()).rejects.toThrow("standard input is not a terminal");
    await expect(of(", interactiveMode: Never").get()).rejects.toThrow("did not print a JSON object");
  });
  test("of an unknown version are not run", () => {
    expect(() => resolveAccess(configured("{command: x, apiVersion: v9}"), {})).toThrow('invalid apiVersion "v9"');
  });
});

describe("the transport", () => {
  let server: OrchServer;
  beforeAll(async () => {
    server = await createServer({ tokens: { good: { name: "tina" } }, authorization: "RBAC" });
  });
  afterAll(() => server.close());
  const open = async (flags: object = {}) => {
    const { text } = await server.clientConfig();
    const access = resolveAccess(mergeConfigs([file("live", text)]), flags);
    if (access === undefined) throw new Error("no access");
    return openTransport(access, {
      clock: systemClock,
      env: {},
      isInteractive: false,
      userAgent: "test",
      requestTimeoutMs: 0,
    });
  };
  test("uses TLS with the certificate of the configuration, and impersonates", async () => {
    const admin = await open();
    const response = await admin.fetch("/api/v1/namespaces/default");
    expect([response.status, ((await response.json()) as { kind: string }).kind]).toEqual([200, "Namespace"]);
    admin.close();
    const jane = await open({ as: "jane", asGroups: ["a,b", "c"] });
    const refused = await jane.fetch("/api/v1/nodes");
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('User \\"jane\\"');
    jane.close();
  });
  test("sends bodies, and ends a watch with its signal", async () => {
    const { fetch, close } = await open();
    const made = await fetch("/api/v1/namespaces/default/configmaps", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "a" } }),
    });
    expect(made.status).toBe(201);
    await made.text();
    const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] });
    const gone = await fetch("/api/v1/namespaces/default/configmaps/a", {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(gone.status).toBe(200);
    await gone.text();
    const stop = new AbortController();
    const watch = await fetch("/api/v1/namespaces/default/configmaps?watch=true", { signal: stop.signal });
    const reader = watch.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain("ADDED");
    stop.abort();
    await expect(reader?.read()).rejects.toThrow();
    close();
  });
  test("trusts a server whose own certificate is named instead of its authority", async () => {
    const { port } = new URL((await server.clientConfig()).server);
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const pinned = join(folder, "serving.crt");
    writeFileSync(pinned, String(socket.getPeerX509Certificate()));
    socket.destroy();
    const { fetch, close } = await open({ certificateAuthority: pinned });
    expect((await fetch("/version")).status).toBe(200);
    close();
  });
  test("does not trust a server of another authority", async () => {
    const { fetch, close } = await open({ certificateAuthority: "/dev/null" });
    await expect(fetch("/version")).rejects.toThrow();
    close();
  });
});
