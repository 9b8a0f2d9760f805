import { describe, expect, test } from "vitest";
import { one, problems } from "../pod.suite.ts";

describe("a Windows user name", () => {
  const isRefused = (runAsUserName: string) =>
    problems(one({ securityContext: { windowsOptions: { runAsUserName } } })).length > 0;
  test("may have a domain in front", () => {
    const users = ["ContainerUser", "a b", "DOMAIN\\user", "a.example.com\\user", `${"d".repeat(63)}.com\\u`];
    expect(users.filter(isRefused)).toEqual([]);
  });
  test("must not have other characters", () => {
    const users = ["", ". .", "a@b", "a/b", "a\tb", "\\user", ".d\\user", "DOMAIN\\", "d?\\user", "u".repeat(105)];
    expect(users.filter((user) => !isRefused(user))).toEqual([]);
    expect(isRefused(`${"d".repeat(16)}_\\u`)).toBe(true);
  });
});
