/** The client configuration of one run of a command: files, flags over them, and the server that they name. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "../base/suggest.ts";
import { type ClientAccess, resolveAccess } from "../client/config/access.ts";
import {
  ConfigError,
  type ConfigFile,
  ContextNotFound,
  type MergedConfig,
  mergeConfigs,
} from "../client/config/file.ts";
import { inClusterConfig } from "../client/config/in-cluster.ts";
import { type ConfigPaths, configPaths, loadConfigFiles } from "../client/config/load.ts";
import type { ProgramEnvironment } from "./environment.ts";
import { type AccessFlags, accessOverrides } from "./flags/access.ts";
import type { ProgramBehaviour } from "./kubectl.ts";

interface ConfigurationOptions extends AccessFlags {
  readonly environment: ProgramEnvironment;
  readonly behaviour: ProgramBehaviour;
  /** Whether the command writes the file, which need not exist then. */
  readonly isWriting: boolean;
  /** Whether the command shows or changes files, to which one that does not exist is empty. */
  readonly isEditor: boolean;
  /** A line of the program's log, at the place in kubectl's source. */
  readonly log: (place: string, line: string, level: "I" | "W") => void;
}

export class Configuration {
  readonly #options: ConfigurationOptions;
  #merged: MergedConfig | undefined;
  #isConfigured = true;

  constructor(options: ConfigurationOptions) {
    this.#options = options;
  }

  get paths(): ConfigPaths {
    const { env, home } = this.#options.environment;
    return configPaths({ explicit: this.#options.flags.kubeconfig, env, home });
  }

  files(): ConfigFile[] {
    return loadConfigFiles(this.paths);
  }

  /** All files as one. */
  get merged(): MergedConfig {
    this.#merged ??= mergeConfigs(this.#load());
    return this.#merged;
  }

  #load(): ConfigFile[] {
    const { environment, flags, behaviour, isWriting, isEditor, log } = this.#options;
    const { paths } = this;
    const files = loadConfigFiles(isEditor ? { ...paths, isExplicit: false } : paths);
    if (flags.v >= 6) for (const { path } of files) log("loader.go:372", `Config loaded from file:  ${path}`, "I");
    if (behaviour.warnsOfMissingConfigs && environment.env["KUBECONFIG"] && !paths.isExplicit && !isWriting)
      for (const { path, value } of files)
        if (value === undefined) log("loader.go:223", `Config not found: ${path}`, "W");
    return files;
  }

  /** Called after a file was written. */
  forget(): void {
    this.#merged = undefined;
  }

  /** The server and who we are there, by the configuration and the flags. */
  access(): ClientAccess {
    const overrides = accessOverrides(this.#options);
    this.#requireContext(overrides.context);
    const { env, fetch } = this.#options.environment;
    const found = resolveAccess(this.merged, overrides);
    if (found !== undefined) return found;
    const inside = fetch === undefined ? inClusterConfig(env) : undefined;
    const fallback = inside === undefined ? undefined : resolveAccess(inside, { ...overrides, context: "" });
    this.#isConfigured = fallback !== undefined;
    // Without any configuration kubectl tries the default address, as always.
    return fallback ?? resolveAccess(this.merged, { ...overrides, server: "http://localhost:8080" })!;
  }

  #requireContext(name = ""): void {
    if (name === "" || this.merged.contexts.has(name)) return;
    const near = nearest(name, this.merged.contexts.keys());
    const hint = near === undefined ? "" : `\nDid you mean "${near}"?`;
    throw new ContextNotFound(name, hint);
  }

  /** Throws if no configuration names the server. */
  requireServer(): void {
    const { behaviour, environment } = this.#options;
    if (this.#isConfigured || !behaviour.requiresConfiguration) return;
    // A configuration in the current folder is not used by itself: it may name a program to run, and another person may have made the folder.
    const own = join(environment.cwd, ".orch", "admin.conf");
    const hint = existsSync(own)
      ? `the server of this folder is reached with --kubeconfig=.orch/admin.conf, or after: export KUBECONFIG=${own}`
      : `name one with --server or --kubeconfig; "orch up" starts a server and writes .orch/admin.conf`;
    throw new ConfigError(`no client configuration names a server (${this.paths.paths.join(", ")}); ${hint}`);
  }
}
