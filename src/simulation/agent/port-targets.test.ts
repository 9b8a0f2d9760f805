import { expect, test } from "vitest";
import { PortTargets, portTargetsMax } from "./port-targets.ts";

test("only what the operator lists is a target, and only on this machine", () => {
  const targets = new PortTargets(["127.0.0.1:8443", "[::1]:9443"]);
  expect(targets.find("127.0.0.1:8443")).toEqual({ dial: { host: "127.0.0.1", port: 8443 } });
  expect(targets.find("[::1]:9443")).toEqual({ dial: { host: "::1", port: 9443 } });
  expect(targets.find("127.0.0.1:1")).toEqual({
    refuse: "forwarding to 127.0.0.1:1 needs --simulated-port-targets=127.0.0.1:1",
  });
  for (const text of ["192.0.2.1:80", "localhost:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", ""]) {
    expect(targets.find(text)).toEqual({ refuse: `"${text}" is not a loopback address with a port` });
    expect(() => new PortTargets([text])).toThrow("must be a loopback address and a port");
  }
});

test(`there are at most ${portTargetsMax} targets`, () => {
  const many = Array.from({ length: portTargetsMax + 1 }, (_, at) => `127.0.0.1:${at + 1}`);
  expect(() => new PortTargets(many)).toThrow(`there must be at most ${portTargetsMax} targets`);
});
