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

test("config set refuses data that is not base64, without showing it", async () => {
  await using session = await openSession();
  const set = ["config", "set", "--kubeconfig", "own.conf", "users.u.client-key-data"];
  for (const value of ["not/base64!", "YQ", "YQ="]) {
    const { code, err } = await session.run([...set, value]);
    expect({ code, err }, value).toEqual({
      code: 1,
      err: "error: error decoding input value: client-key-data must be base64; --set-raw-bytes=true encodes a value\n",
    });
  }
  await session.ok([...set, "not/base64!", "--set-raw-bytes=true"]);
  const encoded = Buffer.from("not/base64!").toString("base64");
  expect(await session.ok("config view --raw --kubeconfig own.conf")).toContain(`client-key-data: ${encoded}\n`);
});
