/** A bare node:https server that answers every path with the bytes of one file: the most that Node gives. */

import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import type { Kv } from "../src/kv/contract.ts";
import { openEmbeddedKv } from "../src/kv/embedded/embedded.ts";

/**
 * Arguments: a folder with serving.crt and serving.key, then path=file pairs. Prints its port. What is posted to a path is
 * read, forgotten, and the bytes of the file are stored under a new key before they are the answer.
 */
export function runBareServer([folder = "", ...pairs]: readonly string[]): void {
  const bodies = new Map(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), readFileSync(pair.slice(at + 1))] as const;
    }),
  );
  let kv: Promise<Kv> | undefined;
  const server = createServer(
    // As the server under measurement: client certificates are asked for.
    {
      cert: readFileSync(`${folder}/serving.crt`),
      key: readFileSync(`${folder}/serving.key`),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    },
    (request, response) => {
      const body = bodies.get(request.url ?? "");
      if (body === undefined) {
        response.writeHead(404).end();
        return;
      }
      if (request.method === "POST") {
        kv ??= openEmbeddedKv({ folder: join(folder, "store") });
        void storeAndAnswer(kv, request, response, body);
        return;
      }
      response.writeHead(200, headersOf(body));
      response.end(body);
    },
  );
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
  });
  process.on("SIGTERM", () => process.exit(0));
}

/** The same bytes as the server under measurement sends, its headers included. */
function headersOf(body: Buffer) {
  return {
    "audit-id": "0b8f4f5a-4d2c-4c55-9f0e-5d1c5b6f7a80",
    "cache-control": "no-cache, private",
    "content-type": "application/json",
    "content-length": body.length,
  };
}

let stored = 0;

async function storeAndAnswer(
  kv: Promise<Kv>,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  Buffer.concat(chunks);
  await (await kv).put(`pods/bench/pod-${stored++}`, Buffer.from(body), 0n);
  response.writeHead(201, headersOf(body));
  response.end(body);
}
