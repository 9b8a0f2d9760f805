/** The transport protocols that ports may have. */

export const protocols = ["TCP", "UDP", "SCTP"];
