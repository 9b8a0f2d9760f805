/** Encryption at rest as the flags describe it: which file, and which families its names mean. */

import { stat } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Metric, Reading } from "../base/metrics.ts";
import { type Encryption, openEncryption } from "../encryption/encryption.ts";
import type { HealthCheck } from "../http/contract/health.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { unreadableObjects } from "../metrics/encryption.ts";
import type { Registry } from "../registry/contract/registry.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { customFamily, familiesByName } from "./family-names.ts";
import { FlagFileError, readFlagFile } from "./flags/read-file.ts";

const flag = "encryption-provider-config";

interface FlagEncryptionOptions {
  /** "": nothing is encrypted. */
  readonly path: string;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
}

export async function openFlagEncryption({ path, ...parts }: FlagEncryptionOptions): Promise<Encryption> {
  const { vocabulary, log } = parts;
  const warned = new Set<string>();
  const names = familiesByName(vocabulary);
  const familyOf = (resource: string): FamilyId => {
    const known = names.get(resource);
    if (known !== undefined) return known;
    if (!warned.has(resource)) {
      warned.add(resource);
      log.warn("the encryption configuration names a resource that is not built in; a custom one may have the name", {
        resource,
      });
    }
    return customFamily(resource);
  };
  if (path !== "") await warnOfReaders(path, log);
  try {
    return await openEncryption({ ...parts, familyOf, read: path === "" ? undefined : () => readFlagFile(flag, path) });
  } catch (cause) {
    if (cause instanceof FlagFileError) throw cause;
    throw new FlagFileError(`--${flag}: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Fails while a stored object cannot be decrypted: another start has the right keys. Not for livez, as a restart would not help, and not
 * for damaged objects, which no server could read.
 */
export function encryptionChecks(registry: Registry, encryption: Encryption | undefined): readonly HealthCheck[] {
  const ofPlugins = (encryption?.checks() ?? []).map(({ name, check }) => ({ name, on: everywhere, check }));
  // A server that never had keys shows the check only if its store holds encrypted objects.
  const undecrypted = () => registry.unreadable() - registry.damaged();
  if (encryption?.isConfigured !== true && undecrypted() === 0) return ofPlugins;
  const check = (): void => {
    const count = undecrypted();
    if (count > 0) throw new Error(`${count} stored objects cannot be decrypted`);
  };
  return [...ofPlugins, { name: "encryption", on: ["healthz", "readyz"], check }];
}

const everywhere = ["healthz", "livez", "readyz"] as const;

export const createUnreadableMetric = (registry: Registry): Metric =>
  new Reading(unreadableObjects, () => [["", registry.unreadable()]]);

/** The file is enough to read every Secret. */
async function warnOfReaders(path: string, log: Log): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode,
    () => 0, // reading it says what is wrong
  );
  if ((mode & 0o077) !== 0)
    log.warn("others can read the file with the encryption keys; change its mode to 0600", { path });
}
