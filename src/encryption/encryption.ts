/** Encryption at rest as one configuration file describes it, read again while the server runs. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metric } from "../base/metrics.ts";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import type { Transformer } from "../registry/contract/transformer.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type KmsConfiguration, type ProviderConfiguration, parseEncryptionConfiguration } from "./configuration.ts";
import { createKms, type Kms } from "./kms-client.ts";
import { createKmsCheck } from "./kms-health.ts";
import { kmsProvider } from "./kms-provider.ts";
import { identityProvider, localProviders } from "./local-providers.ts";
import { createEncryptionMetrics } from "./metrics.ts";
import type { Provider } from "./provider.ts";
import { createTransformer } from "./transformer.ts";

interface EncryptionOptions {
  /** The text of the file. Undefined: there is none, and nothing is encrypted. */
  readonly read: (() => Promise<string>) | undefined;
  /** The family that the file calls "secrets" or "deployments.apps". */
  familyOf(resource: string): FamilyId;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Encryption {
  readonly transformer: Transformer;
  readonly metrics: readonly Metric[];
  /**
   * One for each KMS provider of the current file, "kms-provider-0" and so on; rejects when the plugin does not work.
   */
  checks(): readonly KmsCheck[];
  /** Whether there is a file. */
  readonly isConfigured: boolean;
  /** Reloads the file at once. Throws if it is invalid; the previous configuration stays in use. */
  reload(): Promise<void>;
  close(): void;
}

/** A new key is in use after at most ten seconds; this leaves time to read the file. */
export const encryptionPollMs = 5_000;

interface KmsCheck {
  readonly name: string;
  check(): Promise<void>;
}

interface Plugin {
  readonly kms: Kms;
  readonly provider: Provider;
  readonly check: () => Promise<void>;
}

/** Throws an Error with one sentence when the file cannot be used. */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { read, familyOf, vocabulary, clock, log } = options;
  const { encryptedPrefix } = vocabulary;
  const metrics = createEncryptionMetrics(clock);
  const transformer = createTransformer(encryptedPrefix, metrics);
  /** In the order of the file. A plugin that stays in the file keeps its connection and its data keys. */
  let plugins = new Map<string, Plugin>();
  let known: string | undefined;
  let stopTimer = () => {};
  let closed = false;

  const use = (text: string): void => {
    const group = vocabulary.group("apiserver.config.orch.io");
    const rules = parseEncryptionConfiguration(decodeText(text), group);
    const next = new Map<string, Plugin>();
    const open = (kms: KmsConfiguration): Provider => {
      const id = JSON.stringify(kms);
      const plugin = next.get(id) ?? plugins.get(id) ?? openPlugin(kms);
      next.set(id, plugin);
      return plugin.provider;
    };
    const openPlugin = (configuration: KmsConfiguration): Plugin => {
      const kms = createKms(configuration, clock);
      const provider = kmsProvider(encryptedPrefix, kms, configuration, metrics);
      return { kms, provider, check: createKmsCheck(kms, clock) };
    };
    const providersOf = (provider: ProviderConfiguration): readonly Provider[] => {
      if (provider.type === "identity") return [identityProvider(encryptedPrefix)];
      if (provider.type === "kms") return [open(provider.kms)];
      return localProviders(encryptedPrefix, provider.type, provider.keys);
    };
    const families = new Map<FamilyId, readonly Provider[]>();
    for (const { resources, providers } of rules) {
      const list = providers.flatMap(providersOf);
      // A resource that is named twice gets the providers of both entries, in the order of the file, as in v1.21.
      for (const family of resources.map(familyOf)) families.set(family, [...(families.get(family) ?? []), ...list]);
    }
    const former = plugins;
    plugins = next;
    transformer.replace(families);
    for (const [id, { kms }] of former) if (!next.has(id)) kms.close();
  };

  const reload = async (): Promise<void> => {
    if (read === undefined) return;
    const text = await read();
    if (closed || text === known) return;
    const isFirst = known === undefined;
    try {
      use(text);
    } catch (error) {
      if (!isFirst) metrics.reloaded(false);
      throw error;
    } finally {
      known = text; // a broken file is logged once, not every few seconds
    }
    if (isFirst) return;
    metrics.reloaded(true);
    log.info("the encryption configuration was reloaded");
  };
  const poll = (): void => {
    stopTimer = clock.after(encryptionPollMs, () => {
      reload()
        .catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          log.error("the changed encryption configuration is invalid; the previous one stays in use", { reason });
        })
        .finally(() => {
          if (!closed) poll();
        });
    });
  };

  await reload();
  if (read !== undefined) poll();
  return {
    transformer,
    metrics: metrics.metrics,
    checks: () => [...plugins.values()].map(({ check }, index) => ({ name: `kms-provider-${index}`, check })),
    isConfigured: read !== undefined,
    reload,
    close() {
      closed = true;
      stopTimer();
      for (const { kms } of plugins.values()) kms.close();
    },
  };
}

/** The parser's message may quote the text, and with it a key; the error names only the line. */
function decodeText(text: string): unknown {
  try {
    return decodeYaml(Buffer.from(text));
  } catch (error) {
    const line = /line (\d+)|\((\d+):\d+\)/.exec(error instanceof Error ? error.message : "");
    const where = line === null ? "" : ` (line ${line[1] ?? line[2]})`;
    throw new Error(`it is not YAML or JSON${where}`);
  }
}
