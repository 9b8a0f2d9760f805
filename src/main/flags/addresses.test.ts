import { expect, test } from "vitest";
import { externalUrl, isLoopback, listenProblem, localUrl, servingHosts } from "../addresses.ts";

test("loopback is 127/8, ::1 and localhost, and nothing that only looks like it", () => {
  for (const address of ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(isLoopback(address)).toBe(true);
  for (const address of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "1127.0.0.1"]) {
    expect(isLoopback(address)).toBe(false);
  }
});

test("a server on loopback lists no address of the machine", () => {
  expect(servingHosts("127.0.0.1")).toEqual(["localhost", "127.0.0.1", "::1"]);
});

test("a server on one address lists it", () => {
  expect(servingHosts("192.0.2.7")).toContain("192.0.2.7");
});

test("the URL is one that a client on the machine can open", () => {
  expect(localUrl("0.0.0.0", 6443)).toBe("https://127.0.0.1:6443");
  expect(localUrl("::1", 6443)).toBe("https://[::1]:6443");
});

const namings = [
  { hostname: "api.example.com", advertised: "192.0.2.7", bound: "0.0.0.0", url: "https://api.example.com:6443" },
  { hostname: "", advertised: "192.0.2.7", bound: "0.0.0.0", url: "https://192.0.2.7:6443" },
  { hostname: "", advertised: "", bound: "192.0.2.8", url: "https://192.0.2.8:6443" },
  { hostname: "", advertised: "2001:db8::1", bound: "127.0.0.1", url: "https://[2001:db8::1]:6443" },
  { hostname: "", advertised: "", bound: "127.0.0.1", url: "https://127.0.0.1:6443" },
];
for (const { url, ...names } of namings) {
  test(`${JSON.stringify(names)}: clients elsewhere are sent to ${url}`, () => {
    expect(externalUrl(names, 6443)).toBe(url);
  });
}

const refusals = [
  { code: "EADDRINUSE", says: "127.0.0.1:443 is in use; stop what listens there, or choose another --secure-port" },
  { code: "EACCES", says: "this user may not listen on 127.0.0.1:443; choose a --secure-port above 1023" },
  { code: "EADDRNOTAVAIL", says: "--bind-address: 127.0.0.1 is not an address of this machine" },
  { code: "EOTHER", says: "the system's own words" },
];
for (const { code, says } of refusals) {
  test(`a listener that fails with ${code} explains what to do`, () => {
    const cause = Object.assign(new Error("the system's own words"), { code });
    expect(listenProblem(cause, "127.0.0.1", 443)).toMatchObject({ message: says });
  });
}
