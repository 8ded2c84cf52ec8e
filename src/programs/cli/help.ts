/** Adapts `--help`: for commands whose command line flags alone cannot describe, and to the width of a terminal. */
import type * as HelpDoc from "effect/cli/HelpDoc"
import { stripVTControlCharacters } from "node:util"

/** `exec` starts before flags are parsed, and accepts only these. */
const OF_EXEC = new Set(["config", "help"])

const withoutFlags = (flags: ReadonlyArray<HelpDoc.FlagDoc> | undefined) =>
  (flags ?? []).filter(({ name }) => OF_EXEC.has(name))

export const completed = (doc: HelpDoc.HelpDoc, commandPath: ReadonlyArray<string>): HelpDoc.HelpDoc => {
  switch (commandPath.at(-1)) {
    case "add":
    case "serve":
      return { ...doc, usage: `${doc.usage} [-- COMMAND ARGS…]` }
    case "exec":
      return {
        ...doc,
        usage: "mcp-live exec [--config PATH] [--unset NAME] -- COMMAND ARGS…",
        args: [],
        inheritedFlags: withoutFlags(doc.inheritedFlags),
        globalFlags: withoutFlags(doc.globalFlags)
      }
    default:
      return doc
  }
}

const lengthOf = (text: string): number => stripVTControlCharacters(text).length

/** Where the text is after so many visible characters. */
const placeAfter = (text: string, visible: number): number => {
  let at = 0
  for (let left = visible; left > 0;) {
    const code = /^\u001b\[\d*m/.exec(text.slice(at, at + 8))?.[0].length ?? 0
    at += code === 0 ? 1 : code
    if (code === 0) left--
  }
  return at
}

/** A name, the space behind it, and what is said of it. */
const ROW = /^ {2}\S.*? {2,}(?=\S)/
const EXAMPLE = /^ {2}mcp-live /

/** Where fewer characters are left beside the name, the description begins on a line of its own. */
const BESIDE_MIN = 30
const BELOW = " ".repeat(6)

const broken = (words: string, first: string, indent: string, width: number): string => {
  const [begin = "", ...more] = words.split(" ")
  const lines = [`${first}${begin}`]
  for (const word of more) {
    const line = lines.at(-1)!
    if (lengthOf(line) + lengthOf(word) + 1 <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.join("\n")
}

const fittedLine = (line: string, width: number): string => {
  const plain = stripVTControlCharacters(line)
  if (plain.length <= width || EXAMPLE.test(plain)) return line
  const column = ROW.exec(plain)?.[0].length
  if (column === undefined) {
    const indent = /^ */.exec(plain)![0]
    return broken(line.trimStart(), indent, indent, width)
  }
  const at = placeAfter(line, column)
  const [name, words] = [line.slice(0, at), line.slice(at)]
  if (column > width - BESIDE_MIN) return `${name.trimEnd()}\n${broken(words, BELOW, BELOW, width)}`
  return broken(words, name, " ".repeat(column), width)
}

/** The help with no line that is wider than the terminal, as far as its words allow that; examples stay as they are. */
export const fitted = (help: string, width: number): string =>
  help
    .split("\n")
    .map((line) => fittedLine(line, width))
    .join("\n")
