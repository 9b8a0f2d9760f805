/** The port: whether it is free or ours, and whether the server there is ready and has the same time. */

import { connect } from "node:net";
import { localUrl } from "../addresses.ts";
import { holderOf } from "../programs/running-server.ts";
import { partsOf } from "../stores/data-folder.ts";
import { answerMsMax, askServer, type Identity, readIdentity } from "./ask-server.ts";
import { type DoctorCheck, type Finding, ok, problem, warning } from "./contract.ts";

/** A larger difference makes tokens and certificates look expired, or not valid yet. */
const skewMsMax = 5_000;

export const portCheck: DoctorCheck = {
  name: "port",
  async run({ flags, clock }) {
    const port = flags["secure-port"];
    const url = localUrl(flags["bind-address"], port);
    if (port === 0) return [ok("port 0", "any free port is used")];
    const { hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (!(await isOpen(host, port))) return [freePort(port, holderOf(flags["data-dir"]))];
    const answer = await versionOf(url);
    if (answer === undefined) {
      const advice = "stop that program, or choose another --secure-port";
      return [problem(`port ${port}`, "another program listens on it", advice)];
    }
    const identity = await readIdentity(partsOf(flags["data-dir"]).pki);
    const findings: Finding[] = [ok(`port ${port}`, `a server answers on ${url}`), ...(await readiness(url, identity))];
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

/** A server of this folder that listens elsewhere cannot be asked: only `orch up` writes down its address. */
function freePort(port: number, holder: number | undefined): Finding {
  if (holder === undefined) return ok(`port ${port}`, "is free");
  const advice = "run this with the --secure-port and --bind-address of that server, so that it can be asked";
  return warning(`port ${port}`, `is free, but the server of process ${holder} has the folder open`, advice);
}

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

/** Undefined: another program answers there. */
async function versionOf(url: string): Promise<{ readonly date: string } | undefined> {
  const answer = await askServer(`${url}/version`);
  if (answer === undefined || ![200, 401, 403].includes(answer.status)) return undefined;
  return answer.headers["audit-id"] === undefined ? undefined : { date: answer.headers.date ?? "" };
}

/** What the server says of its own checks: its store, its plugins, its start. Nothing, if it does not say it to this user. */
async function readiness(url: string, identity: Identity | undefined): Promise<readonly Finding[]> {
  const answer = await askServer(`${url}/readyz?verbose`, identity);
  const lines = answer?.text.split("\n") ?? [];
  if (answer?.status === 200) return [ok("server", `is ready: ${lines.filter(isPassed).length} checks pass`)];
  const failed = lines.filter((line) => line.startsWith("[-]")).map((line) => line.slice(3).split(" ")[0]);
  if (failed.length === 0) return [];
  const advice = "the log of the server says why; for etcd and KMS plugins, check that they run";
  return [problem("server", `is not ready: ${failed.join(", ")}`, advice)];
}

const isPassed = (line: string): boolean => line.startsWith("[+]");
