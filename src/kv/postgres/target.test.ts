import { describe, expect, test } from "vitest";
import { namesOf, parsePostgresTarget } from "./target.ts";

const local = { hosts: [{ host: "127.0.0.1", port: 5432 }], database: "shop", user: "jane" };

describe("the address of PostgreSQL", () => {
  test.each([
    ["postgres://jane@127.0.0.1/shop", local],
    ["postgresql://jane@127.0.0.1:5432/shop", local],
    [
      "postgres://jane@/shop?host=/var/run/postgresql",
      { ...local, hosts: [{ host: "/var/run/postgresql", port: 5432 }] },
    ],
    ["postgres://jane@localhost", { ...local, hosts: [{ host: "localhost", port: 5432 }], database: "jane" }],
    ["postgres://jane:p%40ss%3Aword@127.0.0.1/shop", { ...local, password: "p@ss:word" }],
    [
      "postgres://jane@a.example.com:5433,b.example.com/shop",
      {
        ...local,
        hosts: [
          { host: "a.example.com", port: 5433 },
          { host: "b.example.com", port: 5432 },
        ],
        tls: { verify: "host" },
      },
    ],
    [
      "postgres://jane@[2001:db8::1]:6000/shop?sslmode=require",
      { ...local, hosts: [{ host: "2001:db8::1", port: 6000 }], tls: { verify: "encrypted" } },
    ],
  ])("%s is understood", (address, expected) => {
    expect(parsePostgresTarget(address)).toEqual(expected);
  });

  test.each([
    ["postgres:jane", /must look like postgres:\/\/user@host:5432\/database/],
    ["postgres://127.0.0.1/shop", /must name a user/],
    ["postgres://jane@127.0.0.1:99999/shop", /"127.0.0.1:99999" is not a host/],
    ["postgres://jane@127.0.0.1/shop?sslmode=prefer", /sslmode must be one of disable, require/],
    ["postgres://jane@127.0.0.1/shop?pool=3", /"pool" is not a parameter .* allowed are sslmode and host/],
    ["postgres://jane@127.0.0.1/%zz", /percent sign/],
  ])("%s is refused", (address, reason) => {
    expect(() => parsePostgresTarget(address)).toThrow(reason);
  });

  test("a server elsewhere is spoken to with its certificate checked, unless the address says otherwise", () => {
    const address = "postgres://jane@db.example.com/shop";
    expect(parsePostgresTarget(address).tls).toEqual({ verify: "host" });
    expect(parsePostgresTarget(`${address}?sslmode=disable`).tls).toBeUndefined();
    expect(parsePostgresTarget(`${address}?sslmode=require`, { ca: "authority" }).tls).toEqual({
      verify: "authority",
      ca: "authority",
    });
    expect(() => parsePostgresTarget(address, { cert: "certificate" })).toThrow("needs its key");
  });

  test("a password from a file takes the place of the address's, and neither is in names or errors", () => {
    const target = parsePostgresTarget("postgres://jane:former@db/shop", { password: "secret\n" });
    expect(target.password).toBe("secret");
    expect(namesOf(target)).toBe("db:5432 (database shop)");
    expect(() => parsePostgresTarget("postgres://jane:former@db/shop?x=1")).toThrow(/^(?!.*former)/);
  });
});
