/** What a server publishes about itself, read once and kept in files: which resources it serves, and their schemas. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ClientAccess } from "../../client/config/access.ts";
import type { ResourceAddress } from "../../client/contract.ts";
import { DiscoveryCacheFile } from "../../client/discovery/cache-file.ts";
import { discover } from "../../client/discovery/discover.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { ProgramEnvironment } from "../environment.ts";
import type { Connection } from "./connection.ts";
import { OpenApi } from "./openapi.ts";

export interface PublishedOptions {
  readonly environment: ProgramEnvironment;
  /** "": the user's cache folder. */
  readonly cacheFolder: string;
  /** Whether to ask for aggregated discovery, where the server has it. */
  readonly isAggregated: boolean;
}

export class Published {
  readonly #options: PublishedOptions;
  readonly #connection: Connection;
  #discovery: Promise<Discovery> | undefined;
  /** The content of the cache file; undefined: not read yet, or nothing that can be used. */
  #kept: Discovery | undefined;
  #openApi: OpenApi | undefined;

  constructor(connection: Connection, options: PublishedOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** What the server serves, read once; `fresh`: not from the disk. */
  discovery(fresh = false): Promise<Discovery> {
    if (fresh) this.#discovery = undefined;
    this.#discovery ??= this.#discover(fresh);
    return this.#discovery;
  }

  async #discover(fresh: boolean): Promise<Discovery> {
    const kept = fresh ? undefined : this.#readKept();
    if (kept !== undefined) return kept;
    this.#kept = undefined;
    const found = await discover(this.#connection.send, this.#options);
    this.#cache?.write(found);
    return found;
  }

  /** Whether types can be looked up without a request. */
  get hasDiscovery(): boolean {
    return this.#discovery !== undefined || this.#readKept() !== undefined;
  }

  #readKept(): Discovery | undefined {
    this.#kept ??= this.#cache?.read();
    return this.#kept;
  }

  /** Forgets what a file said, because the server contradicts it. Whether there was such a file, so that asking again may help. */
  forgetKept(): boolean {
    if (this.#kept === undefined) return false;
    this.#kept = undefined;
    this.#discovery = undefined;
    this.#cache?.remove();
    return true;
  }

  get openApi(): OpenApi {
    this.#openApi ??= new OpenApi(this.#connection.send, this.#file("openapi"));
    return this.#openApi;
  }

  /** The schemas are read again when they are next needed. */
  forgetSchemas(): void {
    this.#openApi = undefined;
  }

  /** Definitions and registrations change discovery and schemas. */
  noteChange({ resource }: ResourceAddress): void {
    if (resource !== "customresourcedefinitions" && resource !== "apiservices") return;
    this.#discovery = undefined;
    this.#kept = undefined;
    this.#openApi = undefined;
    this.#cache?.remove();
  }

  get #cache(): DiscoveryCacheFile | undefined {
    const file = this.#file("discovery");
    return file === undefined ? undefined : new DiscoveryCacheFile(file, this.#options.environment.clock);
  }

  /** Undefined: nothing is kept of a server inside this process. */
  #file(what: string): string | undefined {
    const { cacheFolder, environment } = this.#options;
    const { env, home, fetch } = environment;
    if (fetch !== undefined) return undefined;
    const folder = cacheFolder || join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "orch-ctl");
    return join(folder, `${nameOf(this.#connection.access)}.${what}.json`);
  }
}

/**
 * Another server may listen at the same address, with another authority. Users who are impersonated may see other things than the
 * user.
 */
function nameOf({ server, tls: { ca = "", serverName = "" }, impersonate }: ClientAccess): string {
  const host = server.replace(/^https?:\/\//, "").replaceAll(/[^A-Za-z0-9.]/g, "_");
  const identity = createHash("sha256")
    .update(JSON.stringify([server, ca, serverName]))
    .digest("hex")
    .slice(0, 16);
  return `${host}_${identity}${impersonate === undefined ? "" : "_as"}`;
}
