/** How a node says over HTTP that another one has to look elsewhere: what it asks for is not there, or not any more. */

/** Misdirected (RFC 9110, 15.5.20). */
export const MISDIRECTED = 421
/** A header, so that it is not the answer of what was asked. */
export const NOT_HERE = "x-mcp-live-not-here"
