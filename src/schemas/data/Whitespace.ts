/**
 * White space of texts of any length.
 *
 * The expressions repeat only up to a bound. In a process that has compiled many expressions, V8 compiles further ones without
 * optimization; then each repetition takes room on a stack, and some millions of them overflow it.
 */
const RUN = /\s{1,1024}/g
const SPACES = / {2,1024}/g
const WHITE = /\s/g

/** The text on one line: each run of white space becomes one space. */
export const inOneLine = (text: string): string => {
  let line = text.replace(RUN, " ")
  while (line.includes("  ")) line = line.replace(SPACES, " ")
  return line
}

/** The text with `change` applied to each word, which is a run of characters that are not white space. */
export const mapWords = (text: string, change: (word: string) => string): string => {
  const parts: Array<string> = []
  let begin = 0
  const take = (end: number) => {
    if (end > begin) parts.push(change(text.slice(begin, end)))
  }
  for (const { index } of text.matchAll(WHITE)) {
    take(index)
    parts.push(text[index]!)
    begin = index + 1
  }
  take(text.length)
  return parts.join("")
}
