/** The context of one run of a command: its flags and arguments, its output, and the server once it is needed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseDuration } from "../base/duration.ts";
import { FlagError, type Flags } from "../base/flags/flag.ts";
import type { FlagUse, ParsedFlags } from "../base/flags/parse.ts";
import { nearest } from "../base/suggest.ts";
import { type ClientAccess, resolveAccess } from "../client/config/access.ts";
import { ConfigError, type ConfigFile, type MergedConfig, mergeConfigs } from "../client/config/file.ts";
import { inClusterConfig } from "../client/config/in-cluster.ts";
import { type ConfigPaths, configPaths, loadConfigFiles } from "../client/config/load.ts";
import type { ResourceAddress, ResourceClient } from "../client/contract.ts";
import type { Discovery } from "../client/discovery/discovery.ts";
import { vocabularyByName } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { ProgramEnvironment } from "./environment.ts";
import { CtlError } from "./errors.ts";
import type { CommonValues } from "./flags/declared.ts";
import type { Json } from "./json.ts";
import { behaviourOf, type ProgramBehaviour } from "./kubectl.ts";
import { showControls } from "./output/terminal.ts";
import { Session } from "./server/session.ts";

interface ContextOptions {
  readonly environment: ProgramEnvironment;
  readonly parsed: Pick<ParsedFlags<Flags>, "values" | "given" | "uses" | "others" | "dashAt">;
  /** Everything after the program's name, unchanged. */
  readonly commandLine: readonly string[];
  /** Flags that the command declares itself under a name that means something else elsewhere. */
  readonly ownFlags?: ReadonlySet<string>;
  /** The words that chose the command: ["rollout", "undo"]. */
  readonly path: readonly string[];
}

/** `V`: the values of the flags that the command declares, beside those that all commands have. */
export class Context<V = {}> {
  readonly environment: ProgramEnvironment;
  readonly flags: CommonValues & V;
  /** In the order of the command line. */
  readonly flagUses: readonly FlagUse[];
  readonly args: readonly string[];
  readonly dashAt: number | undefined;
  readonly commandLine: readonly string[];
  readonly path: readonly string[];
  readonly #given: ReadonlySet<string>;
  readonly #ownFlags: ReadonlySet<string>;
  #config: MergedConfig | undefined;
  #session: Session | undefined;
  #isConfigured = true;
  warnings = 0;

  constructor(options: ContextOptions) {
    this.environment = options.environment;
    const { values, given, uses, others, dashAt } = options.parsed;
    // The program parses the global flags and those of the command that it runs.
    this.flags = values as CommonValues & V;
    this.flagUses = uses;
    this.#given = given;
    this.args = others;
    this.dashAt = dashAt;
    this.commandLine = options.commandLine;
    this.path = options.path;
    this.#ownFlags = options.ownFlags ?? new Set();
  }

  /** Whether the command line has the flag. */
  isSet(name: keyof (CommonValues & V) & string): boolean {
    return this.#given.has(name);
  }

  get program(): string {
    return this.environment.program;
  }

  /** What differs between our own name and the name kubectl. */
  get behaviour(): ProgramBehaviour {
    return behaviourOf(this.program, this.flags.vocabulary);
  }

  get signal(): AbortSignal {
    return this.environment.signal;
  }

  /** Data, on standard output. Control characters are shown escaped, not executed. */
  print(text: string): void {
    this.environment.stdout.write(showControls(text));
  }

  /** Data in a format that the user chose: unchanged, unless it would reach a terminal. */
  printRaw(text: string): void {
    this.environment.stdout.write(this.environment.stdout.isTerminal ? showControls(text) : text);
  }

  /** Everything that is not data, on standard error. */
  say(line: string): void {
    this.environment.stderr.write(`${showControls(line)}\n`);
  }

  /** Hints for people that scripts do not need, such as that nothing was found. */
  note(line: string): void {
    if (!this.isQuiet) this.say(line);
  }

  /** A warning of the program itself, which kubectl writes to its log. */
  logWarning(place: string, line: string): void {
    this.say(this.#logLine(place, line, "W"));
  }

  warn(message: string): void {
    this.warnings++;
    this.note(`Warning: ${message}`);
  }

  get isQuiet(): boolean {
    return !this.#ownFlags.has("quiet") && this.flags.quiet;
  }

  get configPaths(): ConfigPaths {
    const { env, home } = this.environment;
    return configPaths({ explicit: this.flags.kubeconfig, env, home });
  }

  configFiles(): ConfigFile[] {
    return loadConfigFiles(this.configPaths);
  }

  get config(): MergedConfig {
    // A command that writes the file may create it.
    const isWriting = this.path[0] === "config" && /^(set|unset|use|rename)/.test(this.path[1] ?? "");
    const paths = this.configPaths;
    if (this.#config === undefined) {
      const files = loadConfigFiles(isWriting ? { ...paths, isExplicit: false } : paths);
      if (this.flags.v >= 6)
        for (const { path } of files) this.say(this.#logLine("loader.go:372", `Config loaded from file:  ${path}`));
      if (this.behaviour.warnsOfMissingConfigs && this.environment.env["KUBECONFIG"] && !paths.isExplicit && !isWriting)
        for (const { path, value } of files)
          if (value === undefined) this.logWarning("loader.go:223", `Config not found: ${path}`);
      this.#config = mergeConfigs(files);
    }
    return this.#config;
  }

  /** Called after a file was written. */
  forgetConfig(): void {
    this.#config = undefined;
  }

  /** The namespace of this request; "default" if none is set. */
  get namespace(): string {
    return this.flags.namespace || this.session.access.namespace;
  }

  #resolve(): ClientAccess {
    const { flags } = this;
    const text = (name: TextFlag) => (this.#ownFlags.has(name) ? "" : flags[name]);
    const overrides = {
      context: text("context"),
      cluster: text("cluster"),
      user: text("user"),
      server: text("server"),
      namespace: text("namespace"),
      token: text("token"),
      username: text("username"),
      password: text("password"),
      certificateAuthority: text("certificate-authority"),
      clientCertificate: text("client-certificate"),
      clientKey: text("client-key"),
      ...(this.isSet("insecure-skip-tls-verify") ? { insecureSkipTlsVerify: flags["insecure-skip-tls-verify"] } : {}),
      tlsServerName: text("tls-server-name"),
      as: text("as"),
      asGroups: flags["as-group"],
    };
    this.#requireContext(overrides.context);
    const { env, fetch } = this.environment;
    const found = resolveAccess(this.config, overrides);
    if (found !== undefined) return found;
    const inside = fetch === undefined ? inClusterConfig(env) : undefined;
    const fallback = inside === undefined ? undefined : resolveAccess(inside, { ...overrides, context: "" });
    this.#isConfigured = fallback !== undefined;
    // Without any configuration kubectl tries the default address, as always.
    return fallback ?? resolveAccess(this.config, { ...overrides, server: "http://localhost:8080" })!;
  }

  /** A configuration in the current folder is not used by itself: whoever made the folder could run a program by it. */
  #noConfiguration(): ConfigError {
    const own = join(this.environment.cwd, ".orch", "admin.conf");
    const hint = existsSync(own)
      ? `the server of this folder is reached with --kubeconfig=.orch/admin.conf, or after: export KUBECONFIG=${own}`
      : `name one with --server or --kubeconfig; "orch up" starts a server and writes .orch/admin.conf`;
    return new ConfigError(`no client configuration names a server (${this.configPaths.paths.join(", ")}); ${hint}`);
  }

  #requireContext(name: string): void {
    if (name === "" || this.config.contexts.has(name)) return;
    const near = nearest(name, this.config.contexts.keys());
    const hint = near === undefined ? "" : `\nDid you mean "${near}"?`;
    throw new ConfigError(`context was not found for specified context: ${name}${hint}`);
  }

  get session(): Session {
    this.#session ??= this.#createSession();
    return this.#session;
  }

  #createSession(): Session {
    const verbosity = this.flags.v;
    const timeoutMs = this.requestTimeoutMs; // a wrong value is an error even if nothing is sent over a network
    return new Session({
      environment: this.environment,
      access: () => this.#resolve(),
      beforeConnecting: () => {
        if (!this.#isConfigured && this.behaviour.requiresConfiguration) throw this.#noConfiguration();
      },
      requestTimeoutMs: () => timeoutMs,
      cacheFolder: this.flags["cache-dir"],
      warn: (message) => this.warn(message),
      trace: verbosity >= 6 ? (line) => this.say(this.#logLine("round_trippers.go:454", line)) : undefined,
      traceHeaders: verbosity >= 8 ? (line) => this.say(line) : undefined,
    });
  }

  /** The calls of one resource of the server. */
  at(resource: ResourceAddress): ResourceClient<Json> {
    return this.session.at(resource);
  }

  /** What the server serves, read once; `fresh`: not from the disk. */
  discovery(fresh = false): Promise<Discovery> {
    return this.session.discovery(fresh);
  }

  #logLine(place: string, message: string, level: "I" | "W" = "I"): string {
    return this.behaviour.logLine({ place, message, level, atMs: this.environment.clock.now() });
  }

  /** A number without a unit is seconds. */
  get requestTimeoutMs(): number {
    const text = this.flags["request-timeout"];
    const nanos = parseDuration(/^[0-9]+$/.test(text) ? `${text}s` : text);
    if (nanos === undefined)
      throw new CtlError(
        `Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)`,
      );
    return Number(nanos) / 1e6;
  }

  /** The vocabulary of the server. */
  async vocabulary(): Promise<Vocabulary> {
    const chosen = this.flags.vocabulary || (this.behaviour.vocabulary === "kubernetes" ? "kubernetes" : "");
    if (chosen !== "") {
      const known = vocabularyByName(chosen);
      if (known === undefined) throw new FlagError(`--vocabulary must be orch or kubernetes, not "${chosen}"`);
      return known;
    }
    return (await this.discovery()).vocabulary;
  }

  get useColor(): boolean {
    const { env, stdout } = this.environment;
    const choice = this.flags.color;
    if (choice === "always" || choice === "never") return choice === "always";
    if (choice !== "auto") throw new FlagError(`--color must be auto, always or never, not "${choice}"`);
    if (env["NO_COLOR"]) return false;
    if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
    return stdout.isTerminal && env["TERM"] !== "dumb";
  }

  close(): void {
    this.#session?.close();
  }
}

/** The global flags whose value is a text. */
type TextFlag = { [K in keyof CommonValues]-?: CommonValues[K] extends string ? K : never }[keyof CommonValues];
