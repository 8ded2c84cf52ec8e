const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * A line of a log with invisible characters escaped, which does not change its meaning in JSON. For lines that are JSON only.
 */
export const safeJsonLine = (line: string): string =>
  line.trim().replace(HIDDEN, (found) => found.split("").map(escaped).join(""))

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
