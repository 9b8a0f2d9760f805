/** The signals that may stop a container. */

const plain =
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT RTMAX RTMIN SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ";

const upTo = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

export const stopSignals: readonly string[] = [...plain.split(" "), ...upTo(15, "RTMIN+"), ...upTo(14, "RTMAX-")].map(
  (name) => `SIG${name}`,
);
