/** Questions about the objects of a list that labels and fields cannot ask: a condition, an order, a number. */

import type { Steps } from "../../base/time-slice.ts";
import type { Entry } from "./entry.ts";

/** What an index covers: a label's key or the path of a field. */
export type IndexName = `label ${string}` | `field ${string}`;

/** A term that only objects with one of the values meet, so that an index can find them. */
export interface Term {
  readonly index: IndexName;
  readonly values: readonly string[];
}

/** A compiled condition on the objects of one version of a kind. */
export interface ListCondition {
  /** Conditions on the same version with the same text mean the same. */
  readonly text: string;
  /** Every object that meets the condition meets all of these. */
  readonly terms: readonly Term[];
  /** What it counts among the requirements that watches check for every change. */
  readonly requirements: number;
  /** At once, for a watch: an object that would cost too much does not meet it. */
  meets(entry: Entry): boolean;
  /** In steps, for a list. `costMax`: what may be spent on this object. */
  examine(entry: Entry, costMax: number): Steps<ConditionFinding>;
}

/** What a condition says about one object. */
export interface ConditionFinding {
  readonly isMet: boolean;
  readonly cost: number;
  /** Why the condition has no value for the object, which then does not meet it. */
  readonly problem?: string;
  /** Whether more would have to be spent than was allowed. */
  readonly isTooCostly?: boolean;
}

/** The order of a list. Objects that are equal in it are in the order of their names. */
export interface Order {
  readonly text: string;
  /** What objects are compared by, read once for each, in steps: an object may be large. */
  keyOf(entry: Entry): Steps<OrderKey>;
  compare(one: OrderKey, other: OrderKey): number;
}

/** Only the order that made it reads it. */
export type OrderKey = readonly unknown[];

export interface Question {
  readonly condition?: ListCondition;
  readonly order?: Order;
  /** Only the number of objects is wanted. */
  readonly isCount?: boolean;
}

/** How a question was answered. */
export interface AnsweredQuestion {
  /** The index that found the objects; undefined: all objects of the namespace were looked at. */
  readonly index: IndexName | undefined;
  readonly examined: number;
  readonly matched: number;
  /** What the condition cost for all objects together. */
  readonly cost: number;
  /** How many objects the condition has no value for. */
  readonly undecided: number;
  /** The first of them, and why: "shop/web: no such key: color". */
  readonly firstUndecided: string | undefined;
}
