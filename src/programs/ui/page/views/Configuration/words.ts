/** A command as one types it: words between white space; quotes and a backslash keep white space together. No shell, no variables. */
export const splitWords = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.|[^\s"'\\])+/gs)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\])/g, "$1")
    )
  )
