/** The file of --encryption-provider-config: which providers encrypt which resources. Checked as v1.21 does; nothing is opened. */

import { parseDuration } from "../base/duration.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { vocabularyHint } from "../vocabulary/by-name.ts";

export interface Key {
  readonly name: string;
  readonly secret: Uint8Array;
}

export interface KmsConfiguration {
  readonly name: string;
  /** The path of a socket; an abstract one begins with a NUL. */
  readonly socket: string;
  /** Data keys that are remembered; negative: none. */
  readonly cacheSize: number;
  readonly timeoutMs: number;
}

export type ProviderConfiguration =
  | { readonly type: "identity" }
  | { readonly type: "aescbc" | "aesgcm" | "secretbox"; readonly keys: readonly Key[] }
  | { readonly type: "kms"; readonly kms: KmsConfiguration };

interface ResourceConfiguration {
  /** "secrets", "deployments.apps": a resource with its group. */
  readonly resources: readonly string[];
  /** At least one; the first one writes. */
  readonly providers: readonly ProviderConfiguration[];
}

/** What v1.21 takes for a kms provider that does not say. */
export const kmsTimeoutDefaultMs = 3_000;
export const kmsCacheSizeDefault = 1_000;

const aesKeyBytes = [16, 24, 32];
const secretboxKeyBytes = [32];
/** Shown instead of anything that may contain a key. */
const redacted = '"REDACTED"';
const types = ["kms", "aesgcm", "aescbc", "secretbox", "identity"];

/**
 * `group` is what the vocabulary calls "apiserver.config.orch.io". Throws an Error with all problems in one sentence, which
 * never shows a secret.
 */
export function parseEncryptionConfiguration(value: unknown, group: string): readonly ResourceConfiguration[] {
  if (value === undefined || value === null) throw new Error("the file is empty");
  if (!isObject(value)) throw new Error("must be an object");
  const { apiVersion, kind } = value;
  // The second one was documented by mistake once, and v1.21 still reads it.
  const isKnown =
    (apiVersion === `${group}/v1` && kind === "EncryptionConfiguration") ||
    (apiVersion === "v1" && kind === "EncryptionConfig");
  if (!isKnown) {
    const hint = vocabularyHint(apiVersion, "apiserver.config.orch.io", group);
    throw new Error(`apiVersion and kind must be ${group}/v1 EncryptionConfiguration${hint}`);
  }
  const reader = new Reader();
  reader.onlyFields(value, "", ["apiVersion", "kind", "resources"]);
  const result = reader
    .listOf(value["resources"], "resources")
    .map((item, index) => reader.resource(item, `resources[${index}]`));
  if (reader.problems.length > 0) throw new Error(reader.problems.join("; "));
  return result;
}

/** Reads what it can and collects what is wrong; its results count only when there are no problems. */
class Reader {
  readonly problems: string[] = [];

  resource(value: unknown, path: string): ResourceConfiguration {
    if (!isObject(value)) return this.#refuse(path, "must be an object", { resources: [], providers: [] });
    this.onlyFields(value, path, ["resources", "providers"]);
    const resources = this.listOf(value["resources"], `${path}.resources`).map((name, index) =>
      typeof name === "string" && name !== ""
        ? name
        : this.#refuse(`${path}.resources[${index}]`, "must be the name of a resource", ""),
    );
    const providers = this.listOf(value["providers"], `${path}.providers`).flatMap((provider, index) =>
      this.#provider(provider, `${path}.providers[${index}]`),
    );
    return { resources, providers };
  }

  /** A list with at least one item. */
  listOf(value: unknown, path: string): readonly unknown[] {
    if (Array.isArray(value) && value.length > 0) return value;
    const problem = value === undefined || value === null || Array.isArray(value) ? undefined : "must be a list";
    return problem === undefined
      ? this.#require(path, `at least one ${path} is required`, [])
      : this.#refuse(path, problem, []);
  }

  onlyFields(value: object, path: string, allowed: readonly string[]): void {
    const stranger = Object.keys(value).find((field) => !allowed.includes(field));
    if (stranger !== undefined) this.#refuse(path, `unknown field "${stranger}"; known are ${allowed.join(", ")}`, 0);
  }

  #provider(value: unknown, path: string): ProviderConfiguration[] {
    if (!isObject(value)) return this.#refuse(path, "must be an object", []);
    const stranger = Object.keys(value).find((field) => !types.includes(field));
    const given = types.filter((type) => value[type] !== undefined && value[type] !== null);
    if (stranger !== undefined || given.length === 0) {
      const named = stranger === undefined ? "" : `unknown provider "${stranger}"; `;
      const expected =
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity";
      return this.#invalid(path, redacted, `${named}${expected}`, []);
    }
    if (given.length > 1) {
      const problem = "more than one provider specified in a single element, should split into different list elements";
      return this.#invalid(path, redacted, problem, []);
    }
    const [type = ""] = given;
    const own = value[type];
    const at = `${path}.${type}`;
    if (!isObject(own)) return this.#refuse(at, "must be an object", []);
    switch (type) {
      case "identity":
        this.onlyFields(own, at, []);
        return [{ type }];
      case "kms":
        return [{ type, kms: this.#kms(own, at) }];
      case "secretbox":
        return [{ type, keys: this.#keys(own, at, secretboxKeyBytes) }];
      default:
        return [{ type: type === "aesgcm" ? "aesgcm" : "aescbc", keys: this.#keys(own, at, aesKeyBytes) }];
    }
  }

  #keys(value: Record<string, unknown>, path: string, lengths: readonly number[]): Key[] {
    this.onlyFields(value, path, ["keys"]);
    return this.listOf(value["keys"], `${path}.keys`).map((key, index) =>
      this.#key(key, `${path}.keys[${index}]`, lengths),
    );
  }

  #key(value: unknown, path: string, lengths: readonly number[]): Key {
    const none: Key = { name: "", secret: Buffer.alloc(0) };
    if (!isObject(value)) return this.#refuse(path, "must be an object", none);
    this.onlyFields(value, path, ["name", "secret"]);
    const { name, secret } = value;
    if (typeof name !== "string" || name === "") {
      this.#require(`${path}.name`, "name is a mandatory field for a key", 0);
    }
    const at = `${path}.secret`;
    if (typeof secret !== "string" || secret === "") {
      return this.#require(at, "secret is a mandatory field for a key", none);
    }
    const bytes = Buffer.from(secret, "base64");
    // Node skips characters that are not base64; a mistyped key must be an error. Line breaks are allowed, as in Go.
    if (bytes.toString("base64") !== secret.replaceAll(/[\r\n]/g, "")) {
      return this.#invalid(at, redacted, "secrets must be base64 encoded", none);
    }
    if (!lengths.includes(bytes.length)) {
      const expected = `expected one of [${lengths.join(" ")}]`;
      const problem = `secret is not of the expected length, got ${bytes.length}, ${expected}`;
      return this.#invalid(at, redacted, problem, none);
    }
    return { name: String(name), secret: bytes };
  }

  #kms(value: Record<string, unknown>, path: string): KmsConfiguration {
    this.onlyFields(value, path, ["name", "endpoint", "cachesize", "timeout"]);
    const { name, endpoint, cachesize = kmsCacheSizeDefault, timeout } = value;
    if (typeof name !== "string" || name === "") {
      this.#require(`${path}.name`, "name is a mandatory field for a provider", 0);
    }
    const cacheSize = typeof cachesize === "number" && Number.isInteger(cachesize) ? cachesize : 0;
    if (cacheSize === 0) {
      const problem = "cachesize should be a positive value, or negative to disable";
      this.#invalid(`${path}.cachesize`, String(cachesize), problem, 0);
    }
    const timeoutMs = timeout === undefined || timeout === null ? kmsTimeoutDefaultMs : millisecondsOf(timeout);
    if (timeoutMs <= 0) {
      this.#invalid(`${path}.timeout`, JSON.stringify(timeout), "timeout should be a positive value, such as 3s", 0);
    }
    const socket = this.#socket(endpoint, `${path}.endpoint`);
    return { name: String(name), socket, cacheSize, timeoutMs };
  }

  #socket(endpoint: unknown, path: string): string {
    if (typeof endpoint !== "string" || endpoint === "") {
      return this.#require(path, "endpoint is a mandatory field for a kms", "");
    }
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1] ?? "";
    if (scheme !== "unix") {
      const problem = `unsupported scheme "${scheme}" for KMS provider, only unix is supported`;
      return this.#invalid(path, JSON.stringify(endpoint), problem, "");
    }
    const file = endpoint.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    if (!file.startsWith("/")) return this.#refuse(path, "must be unix:///path/of/a/socket", "");
    // "unix:///@name" is a socket of Linux that has no file.
    return file.startsWith("/@") ? `\0${file.slice(2)}` : file;
  }

  #require<Instead>(path: string, problem: string, instead: Instead): Instead {
    return this.#refuse(path, `Required value: ${problem}`, instead);
  }

  #invalid<Instead>(path: string, shown: string, problem: string, instead: Instead): Instead {
    return this.#refuse(path, `Invalid value: ${shown}: ${problem}`, instead);
  }

  #refuse<Instead>(path: string, problem: string, instead: Instead): Instead {
    this.problems.push(path === "" ? problem : `${path}: ${problem}`);
    return instead;
  }
}

/** 0: not a duration. A part of a millisecond counts as a whole one. */
function millisecondsOf(value: unknown): number {
  const nanoseconds = typeof value === "string" ? (parseDuration(value) ?? 0n) : 0n;
  return Math.ceil(Number(nanoseconds) / 1_000_000);
}
