/** Addresses of simulated pods, from 10.128.0.0/9, each given once. */

const first = (10 << 24) | (128 << 16);
const count = 1 << 23;

export class PodAddresses {
  #next = 1;

  /** `isTaken`: by a pod of an earlier agent. */
  take(isTaken: (address: string) => boolean): string {
    for (let tries = 0; tries < count; tries++) {
      const number = (first | this.#next) >>> 0;
      this.#next = (this.#next % (count - 1)) + 1;
      const address = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
      if (!isTaken(address)) return address;
    }
    throw new Error("no address is left for another pod");
  }
}
