/** The certificate a client presented on a TLS connection, read once per connection. */

import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../authn/contract.ts";

/** Longer chains are cut: none of our authorities is that far away. */
const chainLengthMax = 10;

const known = new WeakMap<Socket, { readonly certificate: PeerCertificate | undefined }>();

export function peerCertificate(socket: Socket): PeerCertificate | undefined {
  let entry = known.get(socket);
  if (entry === undefined) {
    entry = { certificate: socket instanceof TLSSocket ? read(socket) : undefined };
    known.set(socket, entry);
  }
  return entry.certificate;
}

function read(socket: TLSSocket): PeerCertificate | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return undefined;
  const chain: Buffer[] = [];
  let at: X509Certificate | undefined = leaf;
  while (chain.length < chainLengthMax) {
    const issuer: X509Certificate | undefined = at.issuerCertificate;
    // A self-signed certificate is its own issuer.
    if (issuer === undefined || issuer.raw.equals(at.raw)) break;
    chain.push(issuer.raw);
    at = issuer;
  }
  return { der: leaf.raw, chain };
}
