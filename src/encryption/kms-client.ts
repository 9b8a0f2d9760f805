/** Calls to a KMS plugin over its Unix socket: the gRPC protocol v1beta1 that plugins for v1.21 speak. */

import { type Clock, systemClock } from "../base/clock.ts";
import { GrpcClient } from "../base/grpc/client.ts";
import { GrpcError, grpcCode } from "../base/grpc/status.ts";
import { MessageFields, MessageWriter } from "../base/protobuf-message.ts";
import type { KmsConfiguration } from "./configuration.ts";
import { ProviderError } from "./provider.ts";

/** The only version of the protocol that is spoken here. */
const kmsVersion = "v1beta1";
/** After a plugin did not answer, further calls fail at once for this long: thousands of objects must not wait one by one. */
export const kmsPauseMs = 1_000;
/** Data keys and their ciphers are short; a plugin that sends more is broken. */
export const kmsAnswerBytesMax = 1_048_576;

const service = "/v1beta1.KeyManagementService";

export interface Kms {
  readonly name: string;
  encrypt(plain: Uint8Array): Promise<Buffer>;
  decrypt(cipher: Uint8Array): Promise<Buffer>;
  close(): void;
}

/** Connects when it is first used, so a plugin may start after the server. */
export function createKms({ name, socket, timeoutMs }: KmsConfiguration, clock: Clock): Kms {
  let client: GrpcClient | undefined;
  let checked: Promise<void> | undefined;
  let failed: { readonly untilMs: number; readonly error: ProviderError } | undefined;

  const call = async (method: string, request: MessageWriter): Promise<Buffer> => {
    if (failed !== undefined && clock.monotonic() < failed.untilMs) throw failed.error;
    // Calls take real time, whatever clock the server has.
    client ??= new GrpcClient({ target: { socket }, clock: systemClock, answerBytesMax: kmsAnswerBytesMax });
    try {
      // A plugin that is being restarted gets the whole time to come back.
      const options = { timeoutMs, waitsForServer: true };
      return await client.call(`${service}/${method}`, request.finish(), options).answer;
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      // What a plugin says about its own failure helps the operator; the only plain text it has are data keys, which it never prints.
      const reason = new ProviderError(`KMS provider ${name}: ${error.details || "no answer"}`, { isTransient: true });
      if (unanswered.has(error.code)) failed = { untilMs: clock.monotonic() + kmsPauseMs, error: reason };
      throw reason;
    }
  };

  const checkVersion = async (): Promise<void> => {
    const answer = await call("Version", new MessageWriter().text(1, kmsVersion));
    const version = fieldOf(answer, 1).toString("utf8");
    if (version === kmsVersion) return;
    throw new ProviderError(
      `KMS provider ${name}: its API version ${JSON.stringify(version.slice(0, 64))} is not supported, only ${kmsVersion} is`,
      { isTransient: true },
    );
  };

  const ask = async (method: string, bytes: Uint8Array): Promise<Buffer> => {
    checked ??= checkVersion();
    await checked.catch((error: unknown) => {
      checked = undefined; // checked again next time: the plugin may have been replaced
      throw error;
    });
    return fieldOf(await call(method, new MessageWriter().text(1, kmsVersion).bytes(2, bytes)), 1);
  };

  return {
    name,
    encrypt: (plain) => ask("Encrypt", plain),
    decrypt: (cipher) => ask("Decrypt", cipher),
    close: () => client?.close(),
  };
}

const unanswered: ReadonlySet<number> = new Set([grpcCode.deadlineExceeded, grpcCode.unavailable]);

/** The last occurrence counts, as in every protobuf message; absent: empty. */
function fieldOf(message: Buffer, number: number): Buffer {
  let found = Buffer.alloc(0);
  const fields = new MessageFields(message);
  while (fields.next()) if (fields.number === number) found = Buffer.from(fields.bytes);
  return found;
}
