/** Calls to a KMS plugin over its Unix socket: the gRPC protocol v1beta1 that plugins for v1.21 speak. */

import { createRequire } from "node:module";
import type { Client, ServiceError } from "@grpc/grpc-js";
import type { Clock } from "../base/clock.ts";
import { MessageWriter, readFields } from "../base/protobuf-message.ts";
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
  let client: Client | undefined;
  let checked: Promise<void> | undefined;
  let failed: { readonly untilMs: number; readonly error: ProviderError } | undefined;

  const call = (method: string, request: MessageWriter): Promise<Buffer> => {
    if (failed !== undefined && clock.monotonic() < failed.untilMs) return Promise.reject(failed.error);
    client ??= connect(socket);
    const { Metadata } = loadGrpc();
    const options = { deadline: Date.now() + timeoutMs };
    // A plugin that is being restarted gets the whole time to come back.
    const metadata = new Metadata({ waitForReady: true });
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer): void => {
        if (error === null) {
          resolve(answer ?? Buffer.alloc(0));
          return;
        }
        // What a plugin says about its own failure helps the operator; the only plain text it has are data keys, which it never prints.
        const reason = new ProviderError(`KMS provider ${name}: ${error.details || "no answer"}`, {
          isTransient: true,
        });
        if (unanswered.has(error.code)) failed = { untilMs: clock.monotonic() + kmsPauseMs, error: reason };
        reject(reason);
      };
      client!.makeUnaryRequest(`${service}/${method}`, asIs, asIs, request.finish(), metadata, options, done);
    });
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

function connect(socket: string): Client {
  const { Client: GrpcClient, credentials } = loadGrpc();
  return new GrpcClient(`unix:${socket}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": kmsAnswerBytesMax,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.use_local_subchannel_pool": 1,
  });
}

/** Deadline exceeded and unavailable. */
const unanswered: ReadonlySet<number> = new Set([4, 14]);

const asIs = (message: Buffer): Buffer => message;

/** The last occurrence counts, as in every protobuf message; absent: empty. */
function fieldOf(message: Buffer, number: number): Buffer {
  let found = Buffer.alloc(0);
  for (const field of readFields(message)) if (field.number === number) found = Buffer.from(field.bytes);
  return found;
}

type Grpc = typeof import("@grpc/grpc-js");

function loadGrpc(): Grpc {
  try {
    // An optional package; its types are those of the requested version.
    return createRequire(import.meta.url)("@grpc/grpc-js") as Grpc;
  } catch (cause) {
    throw new ProviderError("kms providers need the package @grpc/grpc-js; run: npm install @grpc/grpc-js", { cause });
  }
}
