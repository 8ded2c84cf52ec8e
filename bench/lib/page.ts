/** Pages of the documentation that hold measured figures: each stands between two comments, which name it and its command. */
import { readFileSync, writeFileSync } from "node:fs"

/** Puts a text between the comments of its name, in place of what stood there. */
export const between = (page: string, name: string, command: string, text: string): string => {
  const [begin, end] = [`<!-- ${name}: made by ${command} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`the page has lost its comments of the ${name}`)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}

/** The same in a file of `docs/`, for several texts by their names. */
export const writeFigures = (page: string, command: string, texts: Readonly<Record<string, string>>): void => {
  const file = new URL(`../../docs/${page}`, import.meta.url)
  const written = Object.entries(texts).reduce(
    (whole, [name, text]) => between(whole, name, command, text),
    readFileSync(file, "utf8")
  )
  writeFileSync(file, written)
}
