#!/usr/bin/env node
// How do I sign in with a program of mine? A kubeconfig names it; it prints a credential, which clients keep until it expires.
const { apiVersion } = JSON.parse(process.env["KUBERNETES_EXEC_INFO"] ?? "{}");

console.log(
  JSON.stringify({
    apiVersion,
    kind: "ExecCredential",
    status: { token: process.env["SHOP_TOKEN"], expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() },
  }),
);
