import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "orch";
import { connect, convertOf, installResources, runControllers, serveWebhook } from "orch/client";
import { expect, test } from "vitest";
import { Clock, clocks } from "./clocks.ts";

/** A certificate for this machine, which is its own authority. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), "orch-clocks-"));
  const files = ["-keyout", join(folder, "key"), "-out", join(folder, "cert")];
  const names = ["-subj", "/CN=clocks", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...files, ...names], { stdio: "ignore" });
  const pair = { cert: readFileSync(join(folder, "cert"), "utf8"), key: readFileSync(join(folder, "key"), "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}

test("a clock of the old version is shown by an operator of the new one", async () => {
  const tls = certificate();
  await using server = await createServer();
  await using client = await connect({ server });
  await using webhook = await serveWebhook({ tls, host: "127.0.0.1", convert: convertOf([Clock]) });
  const url = `https://127.0.0.1:${webhook.port}/convert`;
  await installResources(client, [Clock], { conversion: { url, authority: tls.cert } });
  await using running = runControllers({ client, controllers: [clocks] });
  await running.ready;

  await client.of(Clock.versions.v1).create({ metadata: { name: "wall" }, spec: { time: "3h" } });
  await server.until(Clock, "wall", ({ status }) => status?.shown === "03:00");
  await client.of(Clock).patch("wall", { spec: { hours: 11 } });
  await server.until(Clock, "wall", ({ status }) => status?.shown === "11:00");
  expect((await client.of(Clock.versions.v1).get("wall")).spec).toEqual({ time: "11h" });
});
