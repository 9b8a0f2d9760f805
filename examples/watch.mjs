// How do I follow changes? Run: npm run build && node examples/watch.mjs
import { createServer } from "orch";

const server = await createServer();
const path = "/api/v1/namespaces/default/configmaps";

// A watch from the version of a list hears of every change behind it, once and in order.
const list = await (await server.fetch(path)).json();
const watch = await server.fetch(`${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);

await server.fetch(path, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ metadata: { name: "greeting" }, data: { text: "hello" } }),
});
await server.fetch(`${path}/greeting`, { method: "DELETE" });

let rest = "";
let seen = 0;
for await (const chunk of watch.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { type, object } = JSON.parse(line);
    console.log(type, object.metadata.name);
    seen++;
  }
  if (seen === 2) break;
}
await server.close();
