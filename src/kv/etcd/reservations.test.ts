import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createManualClock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { EtcdConnection } from "./connection.ts";
import { methods, rangeRequest, readRangeResponse } from "./messages.ts";
import { Reservations, reservationMsMax } from "./reservations.ts";
import { findEtcd, startTestEtcd, type TestEtcd } from "./server.fixture.ts";

const program = findEtcd();

describe.skipIf(program === undefined)("reservations", () => {
  let etcd: TestEtcd;
  let connection: EtcdConnection;
  beforeAll(async () => {
    etcd = await startTestEtcd(program!);
    connection = new EtcdConnection({
      endpoints: [etcd.endpoint],
      allowPlaintext: true,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 10_000,
      clock: systemClock,
      log: silentLog,
    });
  });
  afterAll(async () => {
    connection?.close();
    await etcd?.remove();
  });

  test("the oldest reservation decides, renewing keeps its revision, and after an hour it is no longer renewed", async () => {
    const clock = createManualClock(0);
    const reservations = new Reservations(connection, "/r/", clock);
    expect(await reservations.oldest()).toBeUndefined();
    const first = await reservations.hold();
    const second = await reservations.hold();
    expect(second.revision).toBeGreaterThan(first.revision);
    await second.release();
    const versions = async () => {
      const request = rangeRequest({ key: Buffer.from("/r/"), rangeEnd: Buffer.from("/r0") });
      return readRangeResponse(await connection.repeat(methods.range, request)).kvs.map(({ version }) =>
        Number(version),
      );
    };
    clock.advance(20_000);
    await expect.poll(versions).toEqual([2]);
    expect(await reservations.oldest()).toBe(first.revision);
    clock.advance(reservationMsMax); // the timer of the next renewal is due within
    await expect.poll(versions).toEqual([3]);
    clock.advance(20_000);
    expect(await versions()).toEqual([3]);
    await first.release();
    expect(await reservations.oldest()).toBeUndefined();
  });
});
