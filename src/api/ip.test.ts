import { describe, expect, test } from "vitest";
import { validateEndpointIp } from "./ip.ts";

const words = (ip: string) =>
  validateEndpointIp("ip", ip).map(({ message }) => /must (?:be a|not be) [^(]*/.exec(message)?.[0].trim());

describe("an endpoint address", () => {
  const cases = [
    {
      why: "may be an ordinary address",
      ips: ["10.0.0.1", "192.0.2.7", "128.0.0.1", "2001:db8::1", "::2", "::ffff:10.0.0.1"],
      say: [],
    },
    { why: "may be next to a special range", ips: ["0.0.0.1", "126.255.255.255", "169.253.1.1", "224.0.1.0"], say: [] },
    { why: "may be multicast beyond the link", ips: ["ff05::1", "239.0.0.1"], say: [] },
    {
      why: "must be a valid address",
      ips: ["", "x", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4/32", "fe80::1%eth0/64", "fe80::1%eth0"],
      say: ["must be a valid IP address"],
    },
    { why: "must not be unspecified", ips: ["0.0.0.0", "::", "::ffff:0.0.0.0"], say: ["must not be unspecified"] },
    {
      why: "must not be a loopback address",
      ips: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1"],
      say: ["must not be in the loopback range"],
    },
    {
      why: "must not be link-local",
      ips: ["169.254.169.254", "fe80::1", "febf::1", "FE80::1", "::ffff:169.254.169.254", "::ffff:a9fe:a9fe"],
      say: ["must not be in the link-local range"],
    },
    {
      why: "must not be link-local multicast",
      ips: ["224.0.0.1", "ff02::1", "ff12::1", "fff2::1", "::ffff:224.0.0.1"],
      say: ["must not be in the link-local multicast range"],
    },
  ];
  for (const { why, ips, say } of cases)
    test(why, () => expect(ips.map((ip) => [ip, ...words(ip)])).toEqual(ips.map((ip) => [ip, ...say])));
});
