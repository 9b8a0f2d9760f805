/**
 * Starts the built program once and keeps what V8 has compiled by then, so that later starts need not compile it again.
 * The build runs this as a process of its own, since the program must not have been loaded yet.
 */

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, filesOf, run, seal } from "../bin/compiled.cjs";

/** A start that takes longer has failed. */
const deadlineMs = 20_000;

const program = process.argv[2] ?? "orch";
const files = filesOf(program);
const text = readFileSync(files.text);
const script = compile(text, files.text);
const exported = run(script, files.text);
const folder = mkdtempSync(join(tmpdir(), "orch-compile-"));
const said = [];
// Its output would clutter that of the build.
process.stdout.write = (chunk, done) => {
  said.push(String(chunk));
  if (typeof done === "function") done();
  return true;
};
setTimeout(() => end(new Error(`the program did not start: ${said.join("")}`)), deadlineMs).unref();

if (program === "ctl") await warmCtl(exported);
else await warmOrch(exported);

async function warmOrch({ main, loadLibrary }) {
  void main(["up", `--data-dir=${join(folder, "data")}`, "--secure-port=0", "--bind-address=127.0.0.1"]);
  const url = await untilSaid(/serves (https:\S+)/);
  for (const path of ["/readyz", "/api", "/api/v1/namespaces"]) await ask(`${url}${path}`);
  const inside = await loadLibrary().createServer();
  for (const path of ["/readyz", "/api/v1/namespaces"]) await (await inside.fetch(path)).text();
  await inside.close();
  keep();
  end();
}

/** The command ends the process; what it has compiled is kept just before. It is the most frequent one, on an empty server. */
async function warmCtl({ mainCtl }) {
  process.env.HOME = folder;
  const server = createServer((asked, answer) => answer.end(JSON.stringify(emptyServer(asked.url)))).listen(
    0,
    "127.0.0.1",
  );
  await new Promise((resolve) => server.once("listening", resolve));
  const exit = process.exit;
  process.exit = () => {
    process.exit = exit;
    keep();
    end();
  };
  await mainCtl(["get", "pods", `--server=http://127.0.0.1:${server.address().port}`], {
    calledAs: "ctl",
    loadLibrary: () => Promise.reject(new Error("no library")),
  });
}

function emptyServer(path) {
  const pods = {
    name: "pods",
    singularName: "pod",
    kind: "Pod",
    namespaced: true,
    verbs: ["get", "list"],
    shortNames: ["po"],
  };
  if (path === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (path === "/apis") return { kind: "APIGroupList", groups: [] };
  if (path === "/api/v1") return { kind: "APIResourceList", groupVersion: "v1", resources: [pods] };
  const columnDefinitions = [{ name: "Name", type: "string", format: "name", priority: 0 }];
  return { kind: "Table", apiVersion: "meta.orch.io/v1", columnDefinitions, rows: [{ cells: ["web"] }] };
}

function keep() {
  const compiled = script.createCachedData();
  const draft = `${files.compiled}.draft`;
  writeFileSync(draft, Buffer.concat([seal(text, compiled), compiled]));
  renameSync(draft, files.compiled);
}

async function untilSaid(form) {
  for (;;) {
    const found = form.exec(said.join(""));
    if (found !== null) return found[1];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whatever the answer is: it is the way there that is to be compiled. */
function ask(target) {
  return new Promise((resolve, reject) => {
    const asked = request(target, { rejectUnauthorized: false, agent: false }, (answer) =>
      answer.resume().on("end", resolve),
    );
    asked.on("error", reject).end();
  });
}

function end(error) {
  rmSync(folder, { recursive: true, force: true });
  if (error !== undefined) console.error(error.message);
  process.exit(error === undefined ? 0 : 1);
}
