import { expect, test } from "vitest";
import { isLoopback, localUrl, servingHosts } from "./addresses.ts";

test("loopback is all of 127/8, ::1 and localhost, and nothing that only looks like it", () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(isLoopback(address)).toBe(true);
  for (const address of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "1127.0.0.1"]) {
    expect(isLoopback(address)).toBe(false);
  }
});

test("a server on loopback names nothing of the machine", () => {
  expect(servingHosts("127.0.0.1")).toEqual(["localhost", "127.0.0.1", "::1"]);
});

test("a server on one address names it", () => {
  expect(servingHosts("192.0.2.7")).toContain("192.0.2.7");
});

test("the URL is one that a client on the machine can open", () => {
  expect(localUrl("0.0.0.0", 6443)).toBe("https://127.0.0.1:6443");
  expect(localUrl("::1", 6443)).toBe("https://[::1]:6443");
});
