/** Credential plugins: a program that prints an ExecCredential, run when a request needs credentials. */

import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { ConfigError, type Located, pathOf, textOf } from "./file.ts";
import type { PluginMetrics } from "./plugin-metrics.ts";

/** The configuration of a plugin. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  /** The cluster information for the plugin; undefined: provideClusterInfo is not set. */
  readonly cluster: JsonObject | undefined;
}

export interface PluginCredential {
  readonly token: string;
  /** PEM; empty: none. */
  readonly certificate: string;
  readonly key: string;
  readonly expiresMs: number | undefined;
}

/** Versions of both vocabularies; v1 came later and has the same form. */
const knownVersion = /^client\.authentication\.(orch|k8s)\.io\/(v1alpha1|v1beta1|v1)$/;

/** Plugins print a small object; longer output is an error. */
export const pluginOutputBytesMax = 1024 * 1024;

export function execPluginOf(
  exec: JsonObject,
  user: Located,
  target: { readonly cluster: Located | undefined; readonly server: string },
): ExecPlugin {
  const command = textOf(exec, "command");
  if (command === "") throw new ConfigError("exec plugin: command must be specified");
  const apiVersion = textOf(exec, "apiVersion");
  if (!knownVersion.test(apiVersion)) throw new ConfigError(`exec plugin: invalid apiVersion "${apiVersion}"`);
  const isRelative = /[\\/]/.test(command) && !isAbsolute(command);
  const env = Array.isArray(exec["env"]) ? exec["env"].filter(isObject) : [];
  return {
    // Absolute, since a name without a slash would be looked for on the PATH.
    command: isRelative && user.file !== undefined ? resolve(dirname(user.file), command) : command,
    args: Array.isArray(exec["args"]) ? exec["args"].map(String) : [],
    env: env.map((entry) => ({ name: textOf(entry, "name"), value: textOf(entry, "value") })),
    apiVersion,
    installHint: textOf(exec, "installHint"),
    cluster: exec["provideClusterInfo"] === true ? clusterInfo(target.cluster, target.server) : undefined,
  };
}

/** The part of the cluster's entry that plugins may see, and its extension for them. */
function clusterInfo(located: Located | undefined, server: string): JsonObject {
  const cluster = located?.value ?? {};
  const info: Record<string, unknown> = { server };
  const authority = textOf(cluster, "certificate-authority");
  if (authority !== "" && located !== undefined)
    info["certificate-authority-data"] = readFileSync(pathOf(located, authority)).toString("base64");
  for (const key of ["tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url"])
    if (cluster[key] !== undefined) info[key] = cluster[key];
  const extensions = Array.isArray(cluster["extensions"]) ? cluster["extensions"].filter(isObject) : [];
  const own = extensions.find(({ name }) => /^client\.authentication\.(orch|k8s)\.io\/exec$/.test(String(name)));
  if (own?.["extension"] !== undefined) info["config"] = own["extension"];
  return info;
}

export interface PluginSurroundings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the standard input is interactive, and is passed to the plugin. */
  readonly isInteractive: boolean;
  /** Absent: nothing is counted. */
  readonly metrics?: PluginMetrics | undefined;
}

/** Keeps the credential until it expires or the server refuses it. */
export class PluginCredentials {
  readonly #plugin: ExecPlugin;
  readonly #around: PluginSurroundings;
  #current: Promise<PluginCredential> | undefined;
  /** The certificate that was given last, for metrics. */
  #certificate = "";

  constructor(plugin: ExecPlugin, around: PluginSurroundings) {
    this.#plugin = plugin;
    this.#around = around;
  }

  async get(): Promise<PluginCredential> {
    const running = this.#current;
    if (running !== undefined) {
      const { expiresMs } = await running;
      if (expiresMs === undefined || this.#around.clock.now() < expiresMs) return running;
      if (this.#current === running) this.#current = undefined;
    }
    this.#current ??= this.#run();
    return this.#current;
  }

  async #run(): Promise<PluginCredential> {
    try {
      const credential = await runPlugin(this.#plugin, this.#around);
      if (credential.certificate !== this.#certificate)
        this.#around.metrics?.replaced(credential.certificate, this.#certificate);
      this.#certificate = credential.certificate;
      return credential;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  /** After a 401 with this credential; another request may have renewed it already. */
  async refuse(refused: PluginCredential): Promise<void> {
    if ((await this.#current?.catch(() => undefined)) === refused) this.#current = undefined;
  }
}

async function runPlugin(plugin: ExecPlugin, around: PluginSurroundings): Promise<PluginCredential> {
  const output = await runProgram(plugin, around);
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    throw new ConfigError(
      "getting credentials: decoding stdout: couldn't get version/kind; json parse error: the plugin did not print a JSON object",
      error,
    );
  }
  return readCredential(isObject(value) ? value : {}, plugin);
}

/** Checks what a plugin printed. */
export function readCredential(value: JsonObject, plugin: Pick<ExecPlugin, "apiVersion">): PluginCredential {
  const fail = (reason: string) => new ConfigError(`getting credentials: ${reason}`);
  const version = textOf(value, "apiVersion");
  if (version !== plugin.apiVersion)
    throw fail(
      `exec plugin is configured to use API version ${plugin.apiVersion}, plugin returned version ${version || "none"}`,
    );
  const kind = value["kind"];
  if (kind !== undefined && kind !== "ExecCredential") throw fail("decoding stdout: the kind must be ExecCredential");
  const status = value["status"];
  if (!isObject(status)) throw fail("exec plugin didn't return a status field");
  const token = textOf(status, "token");
  const certificate = textOf(status, "clientCertificateData");
  const key = textOf(status, "clientKeyData");
  if (token === "" && certificate === "" && key === "")
    throw fail("exec plugin didn't return a token or cert/key pair");
  if ((certificate === "") !== (key === "")) throw fail("exec plugin returned only certificate or key, not both");
  const expires = textOf(status, "expirationTimestamp");
  const expiresMs = expires === "" ? undefined : Date.parse(expires);
  if (Number.isNaN(expiresMs)) throw fail("status.expirationTimestamp must be a time in the form of RFC 3339");
  return { token, certificate, key, expiresMs };
}

async function runProgram(plugin: ExecPlugin, around: PluginSurroundings): Promise<string> {
  const isNeutral = plugin.apiVersion.includes(".orch.io/");
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: {
      ...(plugin.cluster === undefined ? {} : { cluster: plugin.cluster }),
      ...(plugin.apiVersion.endsWith("/v1beta1") ? {} : { interactive: around.isInteractive }),
    },
  };
  const env: Record<string, string | undefined> = { ...around.env };
  for (const { name, value } of plugin.env) env[name] = value;
  env[isNeutral ? "ORCH_EXEC_INFO" : "KUBERNETES_EXEC_INFO"] = JSON.stringify(info);
  const { spawn } = await import("node:child_process"); // few configurations have a plugin, and loading takes milliseconds
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env,
      stdio: [around.isInteractive ? "inherit" : "ignore", "pipe", "inherit"],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > pluginOutputBytesMax) child.kill();
      else chunks.push(chunk);
    });
    child.on("error", (error) => reject(missing(plugin, error)));
    child.on("close", (code) => {
      if (size > pluginOutputBytesMax)
        reject(new ConfigError(`getting credentials: the plugin printed more than ${pluginOutputBytesMax} bytes`));
      else if (code !== 0)
        reject(
          new ConfigError(`getting credentials: exec: executable ${plugin.command} failed with exit code ${code}`),
        );
      else resolve(Buffer.concat(chunks).toString("utf8"));
    });
  });
}

function missing(plugin: ExecPlugin, error: Error): ConfigError {
  const reason = "code" in error && error.code === "ENOENT" ? "not found" : "could not be started";
  const hint = plugin.installHint === "" ? "" : `\n\n${plugin.installHint}`;
  return new ConfigError(
    `getting credentials: exec: executable ${plugin.command} ${reason}\n\n` +
      `The client configuration names this credential plugin, which is not installed or not on the PATH.${hint}`,
    error,
  );
}
