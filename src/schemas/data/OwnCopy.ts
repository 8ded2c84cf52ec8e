/**
 * The beginning of a text, for a place where it is kept. A slice of a text keeps the whole text in memory, and a server's text may have
 * megabytes.
 */
export const ownBeginning = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString()
