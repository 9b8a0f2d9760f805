import { expect, test } from "vitest";
import { parseModes } from "./authorization.ts";

test("modes keep their order", () => {
  expect(parseModes(["Node", "RBAC"], "0.0.0.0")).toEqual(["Node", "RBAC"]);
});

test("AlwaysAllow is accepted on loopback only", () => {
  expect(parseModes(["AlwaysAllow"], "127.0.0.1")).toEqual(["AlwaysAllow"]);
  expect(() => parseModes(["AlwaysAllow"], "0.0.0.0")).toThrow(
    /allows every client that reaches 0.0.0.0 to do anything/,
  );
  expect(() => parseModes(["RBAC", "AlwaysAllow"], "192.0.2.1")).toThrow(/use --authorization-mode=Node,RBAC/);
});

test("unknown, repeated and missing modes are refused", () => {
  expect(() => parseModes(["Rbac"], "127.0.0.1")).toThrow(/there is no mode "Rbac"/);
  expect(() => parseModes(["RBAC", "RBAC"], "127.0.0.1")).toThrow(/named twice/);
  expect(() => parseModes([], "127.0.0.1")).toThrow(/at least one/);
});
