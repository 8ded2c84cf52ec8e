/** How the texts of clients' files are shown: clean, on one line, within the terminal, and without a credential. */
import { questionWidth } from "../output.ts"

const WIDEST = 120
const NARROWEST = 40

export const lineWidth = (): number => Math.max(NARROWEST, Math.min(WIDEST, questionWidth(process.stdout)))

/** A stranger's text on one line. */
export const shown = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")

/** The home directory as `~`. */
export const shownFile = (file: string, home: string): string =>
  shown(
    file === home || file.startsWith(`${home}/`) || file.startsWith(`${home}\\`) ? `~${file.slice(home.length)}` : file
  )

/** Breaks a text into lines; the first begins with `first`, the others with `indent`. */
export const wrapped = (text: string, first: string, indent: string, width: number = lineWidth()): string => {
  const [begin = "", ...words] = text.split(" ")
  const lines = [`${first}${begin}`]
  for (const word of words) {
    const line = lines.at(-1)!
    if (line.length + word.length + 1 <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.join("\n")
}
