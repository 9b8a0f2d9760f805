/** A gRPC relay in front of etcd for tests: it can send requests twice or late, and deliver answers of a watch in the wrong order. */

import type { ClientDuplexStream, ServerDuplexStream, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import * as grpc from "@grpc/grpc-js";
import { methods } from "./messages.ts";

export interface TestRelay {
  readonly endpoint: string;
  /** While set, every transaction is sent to etcd twice, and the client gets the second answer. */
  doubling: boolean;
  /** While set, transactions are not passed on; `deliverHeld` sends them to etcd later, when their callers have gone. */
  holding: boolean;
  /** The revisions that etcd answered with, and whether the transactions did anything. */
  deliverHeld(): Promise<readonly Buffer[]>;
  /** How many transactions are held. */
  readonly held: number;
  /** While set, answers of watches wait; `deliverReversed` passes them on, the last one first. */
  gathering: boolean;
  /** How many answers wait. */
  readonly gathered: number;
  deliverReversed(): void;
  close(): Promise<void>;
}

const asIs = (message: Buffer): Buffer => message;

export async function startTestRelay(target: string): Promise<TestRelay> {
  const upstream = new grpc.Client(new URL(target).host, grpc.credentials.createInsecure());
  const server = new grpc.Server();
  const heldRequests: Buffer[] = [];
  const answers: (() => void)[] = [];

  const forward = (path: string, request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      upstream.makeUnaryRequest(path, asIs, asIs, request, (error, answer) =>
        error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
      );
    });
  const unary = (path: string) => (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
    const isWrite = path === methods.txn;
    if (isWrite && relay.holding) {
      heldRequests.push(call.request);
      return;
    }
    const first = forward(path, call.request);
    const last = isWrite && relay.doubling ? first.then(() => forward(path, call.request)) : first;
    last.then(
      (message) => answer(null, message),
      (error: Error) => answer(error),
    );
  };
  const watch = (call: ServerDuplexStream<Buffer, Buffer>) => {
    const stream: ClientDuplexStream<Buffer, Buffer> = upstream.makeBidiStreamRequest(methods.watch, asIs, asIs);
    call.on("data", (message: Buffer) => stream.write(message));
    call.on("cancelled", () => stream.cancel());
    stream.on("data", (message: Buffer) => {
      if (relay.gathering) answers.push(() => call.write(message));
      else call.write(message);
    });
    stream.on("error", () => call.end());
    stream.on("end", () => call.end());
  };

  const codec = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  for (const path of [methods.range, methods.txn, methods.leaseGrant, methods.leaseRevoke]) {
    server.addService({ call: { path, requestStream: false, responseStream: false, ...codec } }, { call: unary(path) });
  }
  server.addService(
    { call: { path: methods.watch, requestStream: true, responseStream: true, ...codec } },
    { call: watch },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const relay = {
    endpoint: `http://127.0.0.1:${port}`,
    doubling: false,
    holding: false,
    gathering: false,
    get held() {
      return heldRequests.length;
    },
    get gathered() {
      return answers.length;
    },
    deliverHeld: () => Promise.all(heldRequests.splice(0).map((request) => forward(methods.txn, request))),
    deliverReversed() {
      relay.gathering = false;
      for (const deliver of answers.splice(0).reverse()) deliver();
    },
    async close() {
      server.forceShutdown();
      upstream.close();
    },
  };
  return relay;
}
