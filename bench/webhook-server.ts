/** A webhook that adds a label to every object, as quickly as Node can. */

import { readFileSync } from "node:fs";
import { createServer } from "node:https";

/** Arguments: a folder with serving.crt and serving.key. Prints its port. */
export function runWebhookServer([folder = ""]: readonly string[]): void {
  const patch = Buffer.from('[{"op":"add","path":"/metadata/labels/hooked","value":"yes"}]').toString("base64");
  const server = createServer(
    { cert: readFileSync(`${folder}/serving.crt`), key: readFileSync(`${folder}/serving.key`) },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        const answer = { uid: asked.uid, allowed: true, patchType: "JSONPatch", patch };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ apiVersion, kind, response: answer }));
      });
    },
  );
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
  });
  process.on("SIGTERM", () => process.exit(0));
}
