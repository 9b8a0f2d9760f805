/** The port and the clock: whether the port is free or ours, and whether the server there has the same time. */

import { request } from "node:https";
import { connect } from "node:net";
import { localUrl } from "../flags/addresses.ts";
import { type DoctorCheck, type Finding, ok, problem, warning } from "./contract.ts";

/** How long the other side may take. */
const answerMsMax = 3_000;
/** A larger difference makes tokens and certificates look expired, or not valid yet. */
export const skewMsMax = 5_000;

export const portCheck: DoctorCheck = {
  name: "port",
  async run({ flags, clock }) {
    const port = flags["secure-port"];
    const url = localUrl(flags["bind-address"], port);
    if (port === 0) return [ok("port 0", "any free port is used")];
    const { hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (!(await isOpen(host, port))) return [ok(`port ${port}`, "is free")];
    const answer = await versionOf(url);
    if (answer === undefined) {
      const advice = "stop that program, or choose another --secure-port";
      return [problem(`port ${port}`, "another program listens on it", advice)];
    }
    const findings: Finding[] = [ok(`port ${port}`, `a server answers on ${url}`)];
    const theirs = Date.parse(answer.date);
    if (Number.isNaN(theirs)) return findings;
    // The header has whole seconds.
    const skewMs = Math.abs(clock.now() - theirs) - 1_000;
    findings.push(
      skewMs > skewMsMax
        ? warning(
            "clock",
            `differs from the server's by ${Math.round(skewMs / 1_000)} seconds`,
            "synchronize the clocks (chrony, systemd-timesyncd)",
          )
        : ok("clock", "agrees with the server's"),
    );
    return findings;
  },
};

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMsMax });
    const done = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => done(true));
    socket.once("timeout", () => done(false));
    socket.once("error", () => done(false));
  });
}

/** Undefined: another program answers there. Nothing secret is sent, so any certificate is accepted. */
function versionOf(url: string): Promise<{ readonly date: string } | undefined> {
  return new Promise((resolve) => {
    const call = request(
      `${url}/version`,
      { rejectUnauthorized: false, timeout: answerMsMax, agent: false },
      (answer) => {
        answer.resume();
        const isOurs = answer.statusCode === 200 || answer.statusCode === 401 || answer.statusCode === 403;
        resolve(isOurs && answer.headers["audit-id"] !== undefined ? { date: answer.headers.date ?? "" } : undefined);
      },
    );
    call.once("timeout", () => call.destroy());
    call.once("error", () => resolve(undefined));
    call.end();
  });
}
