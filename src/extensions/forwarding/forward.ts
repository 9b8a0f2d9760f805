/** Forwards a request to another server and its answer back, both as streams: nothing is buffered. */

import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Upload } from "../../http/contract/routes.ts";
import { type AnswerHeaders, answerHeaders } from "./headers.ts";
import { type Destination, openRequest } from "./open-request.ts";

interface Forwarding {
  readonly destination: Destination;
  readonly headers: OutgoingHttpHeaders;
  /** Is notified about the progress of the request's body. Absent: the request has no timeout. */
  readonly upload?: Upload;
  /** Decides what the client gets of an answer; may throw to refuse it. Default: everything. */
  readonly shape?: (status: number, headers: AnswerHeaders) => ShapedAnswer;
  /** The error for an answer of 400 or more, made of the beginning of its body. Absent: such answers are forwarded as well. */
  readonly refusal?: (status: number, text: string) => Error;
}

/** How much of the body of a refused answer is read. */
export const refusalBytesMax = 50_000;

export interface ShapedAnswer {
  readonly headers: AnswerHeaders;
  /** Transforms the body. Absent: the body is unchanged. */
  readonly through?: (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
}

/** Resolves when the whole answer has been forwarded. An error before the answer rejects; a later one destroys the connection. */
export async function forward(exchange: Exchange, forwarding: Forwarding): Promise<void> {
  const response = await send(exchange, forwarding);
  const { statusCode = 502 } = response;
  if (forwarding.refusal !== undefined && statusCode >= 400)
    throw forwarding.refusal(statusCode, await beginningOf(response));
  await relay(exchange, response, forwarding.shape);
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= refusalBytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, refusalBytesMax).toString("utf8");
}

/** Sends an answer of another server to the client. */
export async function relay(
  exchange: Exchange,
  response: IncomingMessage,
  shape: Forwarding["shape"] = (_, headers) => ({ headers }),
): Promise<void> {
  try {
    const status = response.statusCode ?? 502;
    const { headers, through = (body) => body } = shape(status, answerHeaders(response));
    exchange.respond(status, headers);
    for await (const chunk of through(response)) {
      if (exchange.gone) break;
      if (!exchange.write(chunk)) await exchange.drained();
    }
    exchange.end();
  } catch (error) {
    if (!exchange.responded) throw error;
    exchange.destroy(); // the only way left to show that the answer is incomplete
  } finally {
    response.destroy();
  }
}

function send(exchange: Exchange, { destination, headers, upload }: Forwarding): Promise<IncomingMessage> {
  const request = openRequest(destination, exchange.method, headers);
  exchange.onFinish(() => request.destroy());
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", resolve);
    passBody(exchange, request, upload)
      .catch((error: unknown) => {
        request.destroy();
        reject(error);
      })
      .finally(() => upload?.ended());
  });
}

async function passBody(exchange: Exchange, request: ClientRequest, upload: Upload | undefined): Promise<void> {
  for await (const chunk of exchange.body()) {
    if (request.destroyed) return;
    if (chunk.length === 0) continue;
    upload?.passed(chunk.length);
    // Node would send the body of a GET or DELETE without saying where it ends.
    request.useChunkedEncodingByDefault = true;
    if (request.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        request.off("drain", go).off("close", go);
        resolve();
      };
      request.on("drain", go).on("close", go);
    });
  }
  request.end();
}
