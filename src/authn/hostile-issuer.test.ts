/** Issuers that flood, redirect or answer garbage: their tokens are refused, and they are not asked again and again. */

import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { type HookServer, openHookServer } from "../base/hook-server.suite.ts";
import { silentLog } from "../base/log.ts";
import { createJwtIssuer } from "./jwt-issuer.ts";
import { createOidcProvider, issuerDocumentBytesMax, keysAgeMsMin } from "./oidc-provider.ts";

let opened: HookServer | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token with a made-up signature. Tokens with different `n` differ. */
const tokenOf = (issuer: string, n: number) =>
  `${encoded({ alg: "RS256", kid: "k" })}.${encoded({ iss: issuer, n, exp: 9e9 })}.${encoded({ n })}`;

async function issuerThat(answer: (path: string, response: ServerResponse, url: string) => void) {
  const server: HookServer = await openHookServer(({ url: path = "" }, response) => answer(path, response, server.url));
  opened = server;
  const clock = createManualClock(0);
  const reasons: string[] = [];
  const log = { ...silentLog, warn: (_: string, fields?: object) => void reasons.push(JSON.stringify(fields)) };
  const provider = createOidcProvider({ issuer: server.url, ca: server.authority, algorithms: ["RS256"], clock });
  const identified: unknown[] = [];
  const identify = (claims: unknown) => void identified.push(claims);
  const issuer = createJwtIssuer({ provider, audiences: ["orch"], identify, clock, log });
  const ask = async (n: number) => await issuer.authenticateToken(tokenOf(server.url, n), []);
  return { server, ask, reasons, clock, identified };
}

/** A few kilobytes that become eight megabytes. */
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, "x"));

/** Both documents as an issuer should have them, with other keys. */
const documents = (path: string, url: string, keys: unknown) =>
  path === "/keys" ? { keys } : { issuer: url, jwks_uri: `${url}/keys` };

const hostile: Record<string, (path: string, response: ServerResponse, url: string) => void> = {
  "redirects to itself": (_, response, url) => response.writeHead(302, { location: url }).end(),
  "answers garbage": (_, response) => response.end("<html>"),
  "answers a list": (_, response) => response.end("[1]"),
  "sends more than a document may have": (_, response) => response.end("x".repeat(issuerDocumentBytesMax + 1)),
  "sends without end": (_, response) => {
    const more = () => void (response.destroyed || response.write("x".repeat(65_536), more));
    more();
  },
  "sends a compressed bomb": (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  "has no list of keys": (path, response, url) => response.end(JSON.stringify(documents(path, url, "none"))),
  "has thousands of broken keys": (path, response, url) =>
    response.end(JSON.stringify(documents(path, url, Array(4_000).fill({ kty: "RSA", kid: "k" })))),
  "has keys that nest deeply": (path, response, url) =>
    response.end(
      path === "/keys"
        ? `{"keys":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
        : JSON.stringify(documents(path, url, [])),
    ),
  "names keys at another scheme": (_, response, url) =>
    response.end(JSON.stringify({ issuer: url, jwks_uri: "file:///etc/passwd" })),
};

for (const [what, answer] of Object.entries(hostile))
  test(`an issuer that ${what}`, async () => {
    const { server, ask, clock, identified } = await issuerThat(answer);
    // Many tokens at once, and then more: it is asked once for all of them.
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)));
    expect(new Set([...outcomes, await ask(20)])).toEqual(new Set(["rejected"]));
    const calls = server.calls.length;
    expect(calls).toBeLessThan(3);
    clock.advance(keysAgeMsMin);
    expect(await ask(21)).toBe("rejected");
    expect(server.calls.length).toBe(2 * calls);
    expect(identified).toEqual([]);
  });
