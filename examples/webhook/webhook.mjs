// Refuses ConfigMaps without an owner, and adds a label to the others. Nothing but Node is needed.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

function review({ uid, object }) {
  const owner = object.metadata.annotations?.owner;
  if (owner === undefined)
    return { uid, allowed: false, status: { code: 422, message: "name an owner in the annotation owner" } };
  const patch = [{ op: "add", path: "/metadata/labels", value: { ...object.metadata.labels, owner } }];
  return { uid, allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

const tls = { cert: readFileSync(process.argv[2]), key: readFileSync(process.argv[3]) };
createServer(tls, async (request, response) => {
  const chunks = await request.toArray();
  const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString());
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ apiVersion, kind, response: review(asked) }));
}).listen(Number(process.argv[4]), "127.0.0.1");
