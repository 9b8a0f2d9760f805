/** Images of simulated containers: nothing is pulled, but a pull can be told to fail. */

import { createHash } from "node:crypto";
import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ContainerStatus } from "../../api/core/v1/pod/status.ts";
import { waitLeftMs } from "../../base/clock.ts";
import { pullBackOffEvents, pullEvents } from "./container-events.ts";
import type { ContainerContext, ContainerStep } from "./container-life.ts";

/** As agents do it: the first delay before an image is pulled again, and the longest. */
const backoffFirstMs = 10_000;
const backoffMaxMs = 300_000;
/** After this long a failed pull is called a delay. */
const failureShownMs = 2_000;

/** One image has always the same id: by its digest if it names one, otherwise by a digest of its name. */
export function imageIdOf(image: string): string {
  if (image === "" || image.includes("@")) return image;
  const digest = createHash("sha256").update(image).digest("hex");
  const tag = image.lastIndexOf(":");
  return `${tag > image.lastIndexOf("/") ? image.slice(0, tag) : image}@sha256:${digest}`;
}

/** Undefined: the image is there. Otherwise the container waits, and the image is pulled again after growing delays. */
export function failedPull(
  container: Container,
  before: ContainerStatus | undefined,
  context: ContainerContext,
): ContainerStep | undefined {
  const { behaviour, nowMs, times } = context;
  const { name, image = "", imagePullPolicy } = container;
  if (!behaviour.pullFails.some((pattern) => matchesImage(pattern, image))) return undefined;
  if (imagePullPolicy === "Never") {
    const why = `Container image "${image}" is not present with pull policy of Never`;
    return { status: waitingFor(container, before, "ErrImageNeverPull", why), reviewInMs: undefined };
  }
  const cause = "not found on the simulated node";
  const why = `failed to pull image "${image}": ${cause}`;
  const attempts = times.get(`pulls ${name}`) ?? 0;
  const lastMs = times.get(`pull ${name}`);
  const delayMs = Math.min(backoffFirstMs * 2 ** (attempts - 1), backoffMaxMs);
  const leftMs = lastMs === undefined ? 0 : waitLeftMs(lastMs, delayMs, nowMs);
  if (lastMs === undefined || leftMs === 0)
    return {
      status: waitingFor(container, before, "ErrImagePull", why),
      reviewInMs: failureShownMs,
      times: new Map([
        [`pull ${name}`, nowMs],
        [`pulls ${name}`, attempts + 1],
      ]),
      events: pullEvents(container, cause),
    };
  const shownMs = waitLeftMs(lastMs, failureShownMs, nowMs);
  if (shownMs > 0 && before !== undefined) return { status: before, reviewInMs: shownMs };
  const isSaid = before?.state?.waiting?.reason === "ImagePullBackOff";
  const text = `Back-off pulling image "${image}"${context.reports ? `: ErrImagePull: ${why}` : ""}`;
  return {
    status: isSaid ? before : waitingFor(container, before, "ImagePullBackOff", text),
    reviewInMs: leftMs,
    events: isSaid ? [] : pullBackOffEvents(container),
  };
}

/** The text up to the first `*`, then each further part after the one before; the last part is the end. */
export function matchesImage(pattern: string, image: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return image === first;
  if (!image.startsWith(first) || image.length < first.length + last.length || !image.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = image.indexOf(part, at);
    if (found < 0 || found + part.length > image.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

const waitingFor = (
  { name, image = "" }: Container,
  before: ContainerStatus | undefined,
  reason: string,
  message: string,
): ContainerStatus => ({
  ...(before ?? { name, image, imageID: "", ready: false, started: false, restartCount: 0 }),
  image,
  state: { waiting: { reason, message } },
});
