/** Codes above 599, which a webhook may give: HTTP/1.1 sends them, but Node's HTTP/2 and `Response` refuse them. */

const definedMax = 599;

/** Such a code becomes 500. The Status in the body keeps it. */
export const sendableStatus = (status: number): number => (status > definedMax ? 500 : status);
