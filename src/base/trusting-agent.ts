/**
 * Connections to servers whose authority has been named. OpenSSL takes a certificate whose subject is also that of its authority for
 * self-signed, where no authority key identifier tells the two apart. Libraries of operators make such certificates, and Go accepts
 * them, so on exactly this error the certificate is checked here.
 */

import type { Agent, RequestOptions } from "node:https";
import type { ConnectionOptions, SecureContext, TLSSocket } from "node:tls";
import { isServerOfBundle } from "./certificate-chain.ts";
import { type Clock, systemClock } from "./clock.ts";

/** Whom to trust. Every certificate in `ca` is trusted by itself, not only roots: it may be the certificate of the server. */
export const trustOf = ({ ca }: { readonly ca?: string }) =>
  ca === undefined ? {} : { ca, allowPartialTrustChain: true };

/** Every client that names authorities uses such an agent, also for a single request. */
export type TrustingAgent = Agent & { readonly trusts: "authorities of a bundle" };

const looksSelfSigned = "DEPTH_ZERO_SELF_SIGNED_CERT";

/** The agent is given, not made: programs load Node's HTTPS with their first connection. */
export function trusting(agent: Agent, clock: Clock = systemClock): TrustingAgent {
  const connect = agent.createConnection.bind(agent);
  const contexts = new Contexts();
  return Object.assign(agent, {
    trusts: "authorities of a bundle" as const,
    createConnection(options: RequestOptions, callback?: Parameters<Agent["createConnection"]>[1]) {
      const { ca } = options;
      if (typeof ca !== "string" || options.rejectUnauthorized === false) return connect(options, callback);
      // Without sessions: to resume one would skip the check of the host name.
      const unchecked: Pick<ConnectionOptions, "session" | "secureContext"> & RequestOptions = {
        ...options,
        secureContext: contexts.of(options),
        rejectUnauthorized: false,
        session: undefined,
      };
      const socket = connect(unchecked) as TLSSocket; // what tls.connect makes
      // Called inside the handshake, before anything is sent.
      socket.prependOnceListener("secureConnect", () => {
        const problem = problemOf(socket, options, ca, clock.now());
        if (problem !== undefined) socket.destroy(problem);
      });
      return socket;
    },
  });
}

/** Reading authorities and a key takes a millisecond, and a program may open a hundred connections in one turn: the last ones are kept. */
class Contexts {
  #given: readonly unknown[] = [];
  #context: SecureContext | undefined;

  of(options: RequestOptions): SecureContext {
    const { ca, cert, key, passphrase, pfx, ciphers, minVersion, maxVersion, secureProtocol, secureOptions, crl } =
      options;
    const given = [ca, cert, key, passphrase, pfx, ciphers, minVersion, maxVersion, secureProtocol, secureOptions, crl];
    const isSame = this.#given.length > 0 && given.every((one, at) => one === this.#given[at]);
    if (this.#context !== undefined && isSame) return this.#context;
    this.#given = given;
    this.#context = process.getBuiltinModule("node:tls").createSecureContext(options);
    return this.#context;
  }
}

/** Undefined: the server is the one that was meant. */
function problemOf(socket: TLSSocket, options: RequestOptions, bundle: string, nowMs: number): Error | undefined {
  if (socket.authorized) return undefined;
  // Node keeps the code here, whatever its types say.
  const code = String(socket.authorizationError);
  const leaf = socket.getPeerX509Certificate();
  const isHostProblem = code === "ERR_TLS_CERT_ALTNAME_INVALID";
  if (leaf === undefined) return refused(code);
  const isIssued = code === looksSelfSigned && isServerOfBundle(leaf.raw, bundle, nowMs);
  if (!isHostProblem && !isIssued) return refused(code);
  const { checkServerIdentity } = process.getBuiltinModule("node:tls");
  const problem = checkServerIdentity(options.servername || options.host || "localhost", leaf.toLegacyObject());
  return isHostProblem ? (problem ?? refused(code)) : problem;
}

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in certificate chain",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unable to get local issuer certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unable to verify the first certificate",
};

/** As Node says it. */
const refused = (code: string) => Object.assign(new Error(reasons[code] ?? `certificate refused (${code})`), { code });
