import { expect, test } from "vitest";
import { openSession } from "../session.suite.ts";

test("config set reads base64 in lines as one value", async () => {
  await using session = await openSession();
  const data = Buffer.from("a certificate that is long enough to be wrapped by base64").toString("base64");
  const wrapped = `${data.slice(0, 40)}\n${data.slice(40)}\n`;
  const config = ["--kubeconfig", "own.conf"];
  await session.ok(["config", "set", "clusters.c.certificate-authority-data", wrapped, ...config]);
  expect(await session.ok(["config", "view", "--raw", ...config])).toContain(`certificate-authority-data: ${data}\n`);
});
