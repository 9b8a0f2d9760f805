/**
 * The seats and queues of one priority level, fair by virtual time.
 *
 * Virtual time passes for every queue that has requests at the rate at which a fair server would serve each of them: seats in use divided by
 * queues with requests. Each queue has a virtual start: when its next request would begin on that fair server. A free seat goes to
 * the queue whose next request would end first. How long a request takes is not known when it begins, so an estimate is charged first
 * and corrected at its end:
 *
 *   queue A has requests waiting, virtual start 10   next would end at 10 + 60
 *   a seat is free: A's request begins               virtual start 70
 *   it ends after 2 seconds                          virtual start 70 - (60 - 2) = 12
 *
 * A wide request holds several seats, and its queue is charged for each of them. When it is its turn, free seats are kept until there
 * are enough for it.
 *
 * Times are arguments, so that a test can run a model of any length at once.
 */

/** What a request is expected to take before it has ended, as in v1.21. */
export const estimatedServiceSeconds = 60;

/** Requests that wait in all queues of a server together; more are rejected regardless of what the levels allow. */
export const waitingRequestsMax = 10_000;

interface QueueSettings {
  /** How many requests are executed at once; a wide one counts as several. */
  readonly seats: number;
  /** 0: requests without a seat are rejected. */
  readonly queues: number;
  readonly queueLengthMax: number;
}

/** A request in a QueueSet. The fields belong to the set; all but `width` and `begin` are its own bookkeeping. */
export interface QueuedRequest<Self> {
  /** How many seats it needs; where the level has fewer, all of them are enough. */
  readonly width: number;
  seatsHeld: number;
  queue: Queue<Self> | undefined;
  next: Self | undefined;
  previous: Self | undefined;
  seatedMs: number;
  isAside: boolean;
  /** Called when a request that waited gets its seat. */
  begin(nowMs: number): void;
}

/** A queue. One without requests has no state: its virtual start is set again with its next request. */
export interface Queue<T> {
  readonly index: number;
  first: T | undefined;
  last: T | undefined;
  waiting: number;
  executing: number;
  virtualStart: number;
}

/** Queues of a level that are kept without requests. */
const keptQueuesMax = 128;

const isActive = ({ waiting, executing }: Queue<unknown>) => waiting > 0 || executing > 0;

type EntryOutcome = "executing" | "waiting" | "concurrency-limit" | "queue-full";

export class QueueSet<T extends QueuedRequest<T>> {
  #settings: QueueSettings = { seats: 0, queues: 0, queueLengthMax: 0 };
  /** Shared by all levels of a server. */
  readonly #total: { waiting: number };
  readonly #queues = new Map<number, Queue<T>>();
  /** Queues that have requests. Some others are kept, so that a flow of single requests does not make one each time. */
  #active = 0;
  /** The queues in which requests wait. */
  readonly #lines = new Set<Queue<T>>();
  #waiting = 0;
  #executing = 0;
  #seatsInUse = 0;
  /** Of the seats in use, those of requests that wait for another server. */
  #aside = 0;
  #virtualSeconds = 0;
  #knownMs = 0;
  /** The queue that was served last; among equals the next one after it is served. */
  #servedIndex = -1;
  #ringSize = 1;

  constructor(total: { waiting: number }) {
    this.#total = total;
  }

  get waiting(): number {
    return this.#waiting;
  }
  get executing(): number {
    return this.#executing;
  }
  get settings(): QueueSettings {
    return this.#settings;
  }
  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }
  /** Queues with requests, by index. */
  active(): Queue<T>[] {
    return [...this.#queues.values()].filter(isActive).sort((a, b) => a.index - b.index);
  }

  /** Requests that wait in queues which no longer exist are served from there. */
  configure(settings: QueueSettings, nowMs: number): void {
    this.#passTime(nowMs);
    this.#settings = settings;
    this.#ringSize = Math.max(this.#ringSize, settings.queues);
    this.#dispatch(nowMs);
  }

  /** `hand`: the queues that the flow may use. Of several equally short ones it takes the first. */
  enter(claim: T, hand: readonly number[], nowMs: number): EntryOutcome {
    const { queues, queueLengthMax } = this.#settings;
    const fits = this.#fits(claim);
    if (queues === 0) {
      if (!fits) return "concurrency-limit";
      this.#hold(claim, nowMs);
      return "executing";
    }
    this.#passTime(nowMs);
    const index = this.#shortest(hand);
    const queue = this.#queues.get(index);
    if (!(fits && this.#isNext(queue)) && !this.#mayBorrow(queue, claim)) {
      if ((queue?.waiting ?? 0) >= queueLengthMax || this.#total.waiting >= waitingRequestsMax) return "queue-full";
      this.#append(this.#opened(index, queue), claim);
      return "waiting";
    }
    this.#seat(this.#opened(index, queue), claim, nowMs);
    return "executing";
  }

  /** The request has finished. */
  leave(claim: T, nowMs: number): void {
    this.#passTime(nowMs);
    this.#executing--;
    this.#seatsInUse -= claim.seatsHeld;
    if (claim.isAside) this.#comeBack(claim);
    const { queue } = claim;
    if (queue !== undefined) {
      queue.virtualStart -= (estimatedServiceSeconds - (nowMs - claim.seatedMs) / 1_000) * claim.seatsHeld;
      queue.executing--;
      this.#closeIfUnused(queue);
    }
    claim.queue = undefined;
    this.#dispatch(nowMs);
  }

  /** The request no longer waits. */
  withdraw(claim: T, nowMs: number): void {
    const { queue } = claim;
    if (queue === undefined) return;
    this.#passTime(nowMs);
    this.#remove(queue, claim);
    claim.queue = undefined;
    this.#closeIfUnused(queue);
    // Seats may have been kept free for it.
    this.#dispatch(nowMs);
  }

  /** The request waits for another server; see Ticket.stepAside. */
  releaseSeat(claim: T, nowMs: number): void {
    if (claim.isAside) return;
    claim.isAside = true;
    this.#aside += claim.seatsHeld;
    this.#passTime(nowMs);
    this.#dispatch(nowMs);
  }

  comeBack(claim: T): void {
    if (claim.isAside) this.#comeBack(claim);
  }

  #comeBack(claim: T): void {
    claim.isAside = false;
    this.#aside -= claim.seatsHeld;
  }

  #passTime(nowMs: number): void {
    const seconds = (nowMs - this.#knownMs) / 1_000;
    this.#knownMs = nowMs;
    if (this.#active === 0) return;
    this.#virtualSeconds += (seconds * Math.min(this.#seatsInUse, this.#settings.seats)) / this.#active;
  }

  #shortest(hand: readonly number[]): number {
    let best = hand[0] ?? 0;
    if (this.#waiting === 0) return best;
    let least = Number.POSITIVE_INFINITY;
    for (const index of hand) {
      const length = this.#queues.get(index)?.waiting ?? 0;
      if (length < least) [best, least] = [index, length];
    }
    return best;
  }

  #widthOf({ width }: T): number {
    return Math.max(1, Math.min(width, this.#settings.seats));
  }

  #fits(claim: T): boolean {
    return this.#seatsInUse + this.#widthOf(claim) <= this.#settings.seats;
  }

  /** Where free seats are kept for a wide request, only one that would begin before it need not wait for that. */
  #isNext(queue: Queue<T> | undefined): boolean {
    if (this.#waiting === 0) return true;
    if (queue !== undefined && queue.waiting > 0) return false;
    const next = this.#nextLine();
    const start = queue !== undefined && isActive(queue) ? queue.virtualStart : this.#virtualSeconds;
    return next === undefined || start < next.virtualStart;
  }

  /** A flow without a request in progress may use the seats of requests that wait for another server. */
  #mayBorrow(queue: Queue<T> | undefined, claim: T): boolean {
    if (this.#aside === 0) return false;
    const { seats } = this.#settings;
    const needed = this.#seatsInUse + this.#widthOf(claim);
    return (queue?.executing ?? 0) === 0 && needed - this.#aside <= seats && needed <= 2 * seats;
  }

  #opened(index: number, known: Queue<T> | undefined): Queue<T> {
    if (known !== undefined && isActive(known)) return known;
    const queue = known ?? { index, first: undefined, last: undefined, waiting: 0, executing: 0, virtualStart: 0 };
    if (known === undefined) this.#queues.set(index, queue);
    queue.virtualStart = this.#virtualSeconds;
    this.#active++;
    return queue;
  }

  #closeIfUnused(queue: Queue<T>): void {
    if (isActive(queue)) return;
    this.#active--;
    if (this.#queues.size > keptQueuesMax) this.#queues.delete(queue.index);
  }

  #seat(queue: Queue<T>, claim: T, nowMs: number): void {
    this.#hold(claim, nowMs);
    queue.executing++;
    queue.virtualStart += estimatedServiceSeconds * claim.seatsHeld;
    this.#servedIndex = queue.index;
    claim.queue = queue;
  }

  #hold(claim: T, nowMs: number): void {
    claim.seatsHeld = this.#widthOf(claim);
    claim.seatedMs = nowMs;
    this.#seatsInUse += claim.seatsHeld;
    this.#executing++;
  }

  #dispatch(nowMs: number): void {
    while (this.#waiting > 0) {
      const queue = this.#nextSeated() ?? this.#nextBorrower();
      const claim = queue?.first;
      if (queue === undefined || claim === undefined) return;
      this.#remove(queue, claim);
      this.#seat(queue, claim, nowMs);
      claim.begin(nowMs);
    }
  }

  #nextSeated(): Queue<T> | undefined {
    if (this.#seatsInUse >= this.#settings.seats) return undefined;
    const queue = this.#nextLine();
    return queue?.first !== undefined && this.#fits(queue.first) ? queue : undefined;
  }

  #nextBorrower(): Queue<T> | undefined {
    if (this.#aside === 0) return undefined;
    return this.#nextLine((queue) => queue.first !== undefined && this.#mayBorrow(queue, queue.first));
  }

  /** The queue whose next request would end first. */
  #nextLine(allows?: (queue: Queue<T>) => boolean): Queue<T> | undefined {
    let best: Queue<T> | undefined;
    for (const queue of this.#lines) {
      if (allows !== undefined && !allows(queue)) continue;
      if (best === undefined || this.#comesBefore(queue, best)) best = queue;
    }
    return best;
  }

  /**
   * All requests have the same estimate, so the order of ends is the order of starts. Wide ones are in this order as well: by their
   * ends they would wait until everybody else has had enough.
   */
  #comesBefore(queue: Queue<T>, other: Queue<T>): boolean {
    if (queue.virtualStart !== other.virtualStart) return queue.virtualStart < other.virtualStart;
    const distance = ({ index }: Queue<T>) => (index - this.#servedIndex - 1 + this.#ringSize) % this.#ringSize;
    return distance(queue) < distance(other);
  }

  #append(queue: Queue<T>, claim: T): void {
    claim.queue = queue;
    claim.previous = queue.last;
    if (queue.last === undefined) queue.first = claim;
    else queue.last.next = claim;
    queue.last = claim;
    if (queue.waiting++ === 0) this.#lines.add(queue);
    this.#waiting++;
    this.#total.waiting++;
  }

  #remove(queue: Queue<T>, claim: T): void {
    const { next, previous } = claim;
    if (previous === undefined) queue.first = next;
    else previous.next = next;
    if (next === undefined) queue.last = previous;
    else next.previous = previous;
    claim.next = undefined;
    claim.previous = undefined;
    if (--queue.waiting === 0) this.#lines.delete(queue);
    this.#waiting--;
    this.#total.waiting--;
  }
}
