/** A KMS plugin for tests: a real gRPC server on a Unix socket, whose cipher is one key of AES-GCM. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { MessageFields, MessageWriter } from "../base/protobuf-message.ts";
import { decryptGcm, encryptGcm } from "./aes.ts";

const grpc = createRequire(import.meta.url)("@grpc/grpc-js") as typeof import("@grpc/grpc-js");

export interface TestKms {
  /** "unix:///tmp/…/kms.sock". */
  readonly endpoint: string;
  readonly socket: string;
  /** Names of the methods that were called, in order. */
  readonly calls: string[];
  /** While true, every call fails. */
  isBroken: boolean;
  version: string;
  start(): Promise<void>;
  stop(): void;
  remove(): void;
}

/** `abstract`: the name of a socket of Linux that has no file. */
export async function startTestKms(abstract?: string): Promise<TestKms> {
  const folder = mkdtempSync(join(tmpdir(), "kms-"));
  const socket = abstract === undefined ? join(folder, "kms.sock") : `\0${abstract}`;
  const secret = randomBytes(32);
  let server = new grpc.Server();
  const asIs = (message: Buffer): Buffer => message;
  const method = (name: string, answer: (bytes: Buffer) => MessageWriter) => ({
    [name]: {
      path: `/v1beta1.KeyManagementService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
      handle(call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) {
        kms.calls.push(name);
        if (kms.isBroken) return done({ code: grpc.status.FAILED_PRECONDITION, details: "the key is disabled" });
        const fields = new MessageFields(call.request);
        let bytes = Buffer.alloc(0);
        while (fields.next()) if (fields.number === 2) bytes = Buffer.from(fields.bytes);
        done(null, answer(bytes).finish());
      },
    },
  });
  const methods = {
    ...method("Version", () => new MessageWriter().text(1, kms.version).text(2, "test").text(3, "1")),
    ...method("Encrypt", (plain) => new MessageWriter().bytes(1, encryptGcm(secret, plain, ""))),
    ...method("Decrypt", (cipher) => new MessageWriter().bytes(1, decryptGcm(secret, cipher, ""))),
  };
  const kms: TestKms = {
    endpoint: abstract === undefined ? `unix://${socket}` : `unix:///@${abstract}`,
    socket,
    calls: [],
    isBroken: false,
    version: "v1beta1",
    start() {
      server = new grpc.Server();
      for (const { handle, ...definition } of Object.values(methods)) {
        server.register(
          definition.path,
          handle as Parameters<typeof server.register>[1],
          definition.responseSerialize as Parameters<typeof server.register>[2],
          definition.requestDeserialize as Parameters<typeof server.register>[3],
          "unary",
        );
      }
      return new Promise((resolve, reject) => {
        server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), (error) =>
          error === null ? resolve() : reject(error),
        );
      });
    },
    stop() {
      server.forceShutdown();
      if (abstract === undefined) rmSync(socket, { force: true });
    },
    remove() {
      kms.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await kms.start();
  return kms;
}
