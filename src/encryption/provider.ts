/** The contract of a provider: one way, with one key, of turning an object's bytes into what is stored and back. */

/** `Done` at once, or a promise where another process holds the key. */
type Soon<Done> = Done | Promise<Done>;

export interface Provider {
  /** "aescbc", "kms": for messages. */
  readonly type: string;
  /** The prefix of stored values of this provider and key; "": none, they are stored in plain text. */
  readonly prefix: string;
  /** All keys of a type have one prefix, for metrics. */
  readonly metricPrefix: string;
  /** Equal exactly for the same key of the same provider, also after the file was read again. Never shown. */
  readonly keyId: string;
  /** `key`: where the value is stored; providers that can, bind the result to it. Both throw ProviderError. */
  encrypt(value: Uint8Array, key: string): Soon<Uint8Array>;
  /** `body`: what follows the prefix. */
  decrypt(body: Uint8Array, key: string): Soon<Uint8Array>;
}

/** Why a provider could not do its work. The message never contains keys or plain text. */
export class ProviderError extends Error {
  /** Whether the same call may succeed later without a change of the configuration: the other process did not answer. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}
