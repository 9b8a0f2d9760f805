/** Credential plugins: a program that prints an ExecCredential, run when a request needs credentials. */

import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { type Clock, sleep } from "../../base/clock.ts";
import { createTokenBucket, type TokenBucket } from "../../base/token-bucket.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { parseInstant } from "../../machinery/values/time.ts";
import { ConfigError, CredentialsError, type Located, pathOf, textOf } from "./file.ts";
import type { PluginMetrics } from "./plugin-metrics.ts";
import { runProgram } from "./run-plugin.ts";

/** The configuration of a plugin. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
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

/** Whether a plugin gets the standard input: it must not, may, or needs to. */
const interactiveModes = ["Never", "IfAvailable", "Always"] as const;
type InteractiveMode = (typeof interactiveModes)[number];

/** How often a plugin runs at once, and then in a second: one whose credentials have always expired must not become a flood of processes. */
export const pluginRunsBurst = 10;
export const pluginRunsPerSecond = 1;

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
    interactiveMode: interactiveModeOf(exec, apiVersion),
    cluster: exec["provideClusterInfo"] === true ? clusterInfo(target.cluster, target.server) : undefined,
  };
}

/** Versions before v1 have a default. */
function interactiveModeOf(exec: JsonObject, apiVersion: string): InteractiveMode {
  const given = textOf(exec, "interactiveMode");
  if (given === "" && !apiVersion.endsWith("/v1")) return "IfAvailable";
  const mode = interactiveModes.find((one) => one === given);
  if (mode !== undefined) return mode;
  const allowed = `must be one of ${interactiveModes.join(", ")}`;
  throw new ConfigError(
    given === ""
      ? `exec plugin: interactiveMode must be specified with apiVersion "${apiVersion}", and ${allowed}`
      : `exec plugin: invalid interactiveMode "${given}", it ${allowed}`,
  );
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
  readonly #runs: TokenBucket;
  #current: PluginRun | undefined;
  /** The certificate that was given last, for metrics. */
  #certificate = "";

  constructor(plugin: ExecPlugin, around: PluginSurroundings) {
    this.#plugin = plugin;
    this.#around = around;
    const rate = { perSecond: pluginRunsPerSecond, burst: pluginRunsBurst };
    this.#runs = createTokenBucket(rate, around.clock.monotonic());
  }

  /** Rejects when the signal aborts. The plugin is killed when its last caller has aborted. */
  async get(signal?: AbortSignal): Promise<PluginCredential> {
    const running = this.#current;
    if (running !== undefined) {
      const credential = await this.#wait(running, signal);
      if (credential.expiresMs === undefined || this.#around.clock.now() < credential.expiresMs) return credential;
      this.#forget(running);
    }
    this.#current ??= this.#begin();
    return await this.#wait(this.#current, signal);
  }

  #begin(): PluginRun {
    const left = new AbortController();
    const run: PluginRun = { credential: this.#run(left.signal), left, waiting: 0, isOver: false };
    const over = () => {
      run.isOver = true;
    };
    run.credential.then(over, () => {
      over();
      this.#forget(run);
    });
    return run;
  }

  #forget(run: PluginRun): void {
    if (this.#current === run) this.#current = undefined;
  }

  async #wait(run: PluginRun, signal: AbortSignal | undefined): Promise<PluginCredential> {
    run.waiting++;
    let stop = () => {};
    try {
      if (signal === undefined) return await run.credential;
      const stopped = new Promise<never>((_, reject) => {
        stop = () => reject(signal.reason);
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      });
      return await Promise.race([run.credential, stopped]);
    } finally {
      signal?.removeEventListener("abort", stop);
      if (--run.waiting === 0 && !run.isOver) {
        this.#forget(run);
        run.left.abort();
      }
    }
  }

  async #run(signal: AbortSignal): Promise<PluginCredential> {
    const { clock, metrics } = this.#around;
    const pauseMs = this.#runs.reserve(clock.monotonic());
    if (pauseMs > 0) await sleep(clock, pauseMs, signal);
    const credential = await runPlugin(this.#plugin, this.#around, signal);
    if (credential.certificate !== this.#certificate) metrics?.replaced(credential.certificate, this.#certificate);
    this.#certificate = credential.certificate;
    return credential;
  }

  /** After a 401 with this credential; another request may have renewed it already. */
  async refuse(refused: PluginCredential): Promise<void> {
    if ((await this.#current?.credential.catch(() => undefined)) === refused) this.#current = undefined;
  }
}

/** One run of the plugin, and its credential for as long as it is used. */
interface PluginRun {
  readonly credential: Promise<PluginCredential>;
  /** Aborts when its last caller has aborted. */
  readonly left: AbortController;
  waiting: number;
  isOver: boolean;
}

async function runPlugin(
  plugin: ExecPlugin,
  around: PluginSurroundings,
  signal: AbortSignal,
): Promise<PluginCredential> {
  if (plugin.interactiveMode === "Always" && !around.isInteractive)
    throw new CredentialsError("exec plugin cannot support interactive mode: standard input is not a terminal");
  const isInteractive = around.isInteractive && plugin.interactiveMode !== "Never";
  const program = { ...plugin, isInteractive, env: environmentOf(plugin, around, isInteractive) };
  const output = await runProgram(program, around.clock, signal);
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    // Without the cause, which repeats what was printed.
    throw new CredentialsError(
      "decoding stdout: couldn't get version/kind; json parse error: the plugin did not print a JSON object",
    );
  }
  return readCredential(isObject(value) ? value : {}, plugin);
}

/** Checks what a plugin printed. */
export function readCredential(value: JsonObject, plugin: Pick<ExecPlugin, "apiVersion">): PluginCredential {
  const fail = (reason: string) => new CredentialsError(`${reason}`);
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
  const instant = expires === "" ? undefined : parseInstant(expires);
  if (expires !== "" && instant === undefined)
    throw fail("status.expirationTimestamp must be a time in the form of RFC 3339");
  return { token, certificate, key, expiresMs: instant && instant.seconds * 1_000 };
}

/** What the plugin gets: the environment of this process, what its configuration adds, and what it is asked. */
function environmentOf(
  plugin: ExecPlugin,
  { env: inherited }: PluginSurroundings,
  interactive: boolean,
): Record<string, string | undefined> {
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: {
      ...(plugin.cluster === undefined ? {} : { cluster: plugin.cluster }),
      ...(plugin.apiVersion.endsWith("/v1beta1") ? {} : { interactive }),
    },
  };
  const env: Record<string, string | undefined> = { ...inherited };
  for (const { name, value } of plugin.env) env[name] = value;
  env[plugin.apiVersion.includes(".orch.io/") ? "ORCH_EXEC_INFO" : "KUBERNETES_EXEC_INFO"] = JSON.stringify(info);
  return env;
}
