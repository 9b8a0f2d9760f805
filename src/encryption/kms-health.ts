/**
 * Checks whether a KMS plugin works: it encrypts a word and decrypts it again. The result is cached for a while, as in
 * v1.21.
 */

import type { Clock } from "../base/clock.ts";
import type { Kms } from "./kms-client.ts";

/** How long a good and a bad answer are remembered: probes come often, and plugins may be charged by the call. */
export const kmsHealthyMs = 20_000;
export const kmsUnhealthyMs = 3_000;

const word = Buffer.from("ping");

/** Rejects when the plugin does not work. */
export function createKmsCheck(kms: Kms, clock: Clock): () => Promise<void> {
  let last: { readonly untilMs: number; readonly error: Error | undefined } | undefined;
  let running: Promise<Error | undefined> | undefined;
  const ask = async (): Promise<Error | undefined> => {
    const error = await pingError(kms);
    last = { untilMs: clock.monotonic() + (error === undefined ? kmsHealthyMs : kmsUnhealthyMs), error };
    running = undefined;
    return error;
  };
  return async () => {
    if (last === undefined || clock.monotonic() >= last.untilMs) {
      running ??= ask();
      await running;
    }
    if (last?.error !== undefined) throw last.error;
  };
}

async function pingError(kms: Kms): Promise<Error | undefined> {
  let part = "encrypt";
  try {
    const cipher = await kms.encrypt(word);
    part = "decrypt";
    const plain = await kms.decrypt(cipher);
    return plain.equals(word)
      ? undefined
      : new Error(`KMS provider ${kms.name} decrypted something else than was encrypted`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new Error(`failed to perform ${part} section of the healthz check for KMS Provider ${kms.name}: ${reason}`);
  }
}
