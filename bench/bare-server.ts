/** A bare node:https server that answers every path with the bytes of one file: the most that Node gives. */

import { readFileSync } from "node:fs";
import { createServer } from "node:https";

/** Arguments: a folder with serving.crt and serving.key, then path=file pairs. Prints its port. */
export function runBareServer([folder = "", ...pairs]: readonly string[]): void {
  const bodies = new Map(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), readFileSync(pair.slice(at + 1))] as const;
    }),
  );
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
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      response.end(body);
    },
  );
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
  });
  process.on("SIGTERM", () => process.exit(0));
}
