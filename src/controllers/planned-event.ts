/** An Event that a controller is to record about the object it works on. */

export interface PlannedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
