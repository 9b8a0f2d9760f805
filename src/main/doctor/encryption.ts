/** Whether objects are encrypted at rest: the server that runs is asked; the flags only say what a start would do. */

import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { transformations } from "../../metrics/encryption.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { localUrl } from "../addresses.ts";
import { openFlagEncryption } from "../encryption.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { partsOf } from "../stores/data-folder.ts";
import { askServer, type Identity, readIdentity } from "./ask-server.ts";
import { type Finding, ok, problem, warning } from "./contract.ts";

export async function checkEncryption(flags: ApiServerFlags, vocabulary: Vocabulary): Promise<readonly Finding[]> {
  const path = flags["encryption-provider-config"];
  const ofFile = path === "" ? [] : await checkFile(path, vocabulary);
  const told = await askEncryption(flags);
  if (told === undefined) {
    const found = path === "" ? "objects would be stored in plain text" : `${path} is valid`;
    return ofFile.length > 0 ? ofFile : [ok("encryption", `${found}; no server said what it does`)];
  }
  if (told.isConfigured) return [...ofFile, ok("encryption", describe(told))];
  if (path === "") return [ok("encryption", "the server stores objects in plain text")];
  const advice =
    "restart the server with --encryption-provider-config, and write all Secrets again: docs/encryption.md";
  return [
    ...ofFile,
    warning("encryption", `the server stores objects in plain text, although ${path} is given`, advice),
  ];
}

/** The problems of the file and of the plugins that it names. */
async function checkFile(path: string, vocabulary: Vocabulary): Promise<readonly Finding[]> {
  try {
    const encryption = await openFlagEncryption({ path, vocabulary, clock: systemClock, log: silentLog });
    const results = await Promise.allSettled(encryption.checks().map(({ check }) => check()));
    encryption.close();
    const failed = results.flatMap((result) => (result.status === "rejected" ? [reasonOf(result.reason)] : []));
    return failed.map((message) => problem("encryption", message, "start the KMS plugin, or repair its endpoint"));
  } catch (error) {
    return [problem("encryption", reasonOf(error), "repair the file: docs/encryption.md shows its form")];
  }
}

interface ToldEncryption {
  /** Whether the server has read an encryption configuration. */
  readonly isConfigured: boolean;
  /** How many values each provider has written since the start; "": in plain text. Undefined: the server does not say it to this user. */
  readonly written: ReadonlyMap<string, number> | undefined;
}

/** More than the metrics of a server with many kinds take. */
export const metricsBytesMax = 16_777_216;

/** Undefined: no server answers, or not to this user. */
async function askEncryption(flags: ApiServerFlags): Promise<ToldEncryption | undefined> {
  if (flags["secure-port"] === 0) return undefined;
  const url = localUrl(flags["bind-address"], flags["secure-port"]);
  const identity = await readIdentity(partsOf(flags["data-dir"]).pki);
  const answer = await askServer(`${url}/readyz?verbose`, identity);
  const checks = (answer?.text.split("\n") ?? []).filter((line) => /^\[[+-]\]/.test(line));
  if (checks.length === 0) return undefined;
  // A server has this check if it has keys, or if its store holds what it cannot decrypt.
  const isConfigured = checks.some((line) => line.startsWith("[+]encryption "));
  return { isConfigured, written: isConfigured ? await writtenBy(url, identity) : undefined };
}

async function writtenBy(url: string, identity: Identity | undefined): Promise<ToldEncryption["written"]> {
  const answer = await askServer(`${url}/metrics`, identity, metricsBytesMax);
  if (answer?.status !== 200) return undefined;
  const written = new Map<string, number>();
  for (const line of answer.text.split("\n")) {
    if (!line.startsWith(`${transformations.name}{`) || !line.includes('transformation_type="to_storage"')) continue;
    if (!line.includes('status="OK"')) continue;
    const [, prefix = ""] = /transformer_prefix="([^"]*)"/.exec(line) ?? [];
    const count = Number(line.slice(line.lastIndexOf(" ") + 1));
    if (count > 0) written.set(prefix, (written.get(prefix) ?? 0) + count);
  }
  return written;
}

function describe({ written }: ToldEncryption): string {
  const start = "the server has an encryption configuration";
  if (written === undefined) return start;
  const encrypted = [...written].filter(([prefix]) => prefix !== "" && prefix !== "identity");
  if (encrypted.length === 0) return `${start}, and has encrypted nothing since its start`;
  return `the server encrypts: ${encrypted.map(([prefix, count]) => `${count} values by ${prefix}`).join(", ")} since its start`;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
