/**
 * Reduces a name to what it looks like: names that a reader, human or model, could confuse get the same result. For
 * comparisons only; a few pairs too many do no harm.
 */

/** Letters of other scripts that look like Latin ones, small and capital; one row for each Latin letter. */
const ROWS: ReadonlyArray<readonly [reads: string, lookalikes: string]> = [
  ["a", "аΑαАɑᴀ"],
  ["b", "ВвБЬΒʙЪ"],
  ["c", "сСϲϹᴄ"],
  ["d", "ԁɗᴅ"],
  ["e", "еЕЁёΕεєЄᴇ"],
  ["f", "ƒꜰϝ"],
  ["g", "ɡԌɢɢ"],
  ["h", "һНнΗʜհ"],
  ["i", "іІїΙιıɪӏӀ1lL|!ⅼ"],
  ["j", "јЈϳᴊ"],
  ["k", "кКΚκᴋ"],
  ["m", "мМΜᴍ"],
  ["n", "ոпПηΝɴ"],
  ["o", "оОοΟσᴏօ0"],
  ["p", "рРρΡᴘ"],
  ["q", "ԛգ"],
  ["r", "гГʀᴦ"],
  ["s", "ѕЅꜱ$5"],
  ["t", "тТτΤᴛ"],
  ["u", "υսᴜц"],
  ["v", "νѵᴠ"],
  ["w", "ԝшωᴡ"],
  ["x", "хХχΧ×"],
  ["y", "уУγΥүʏ"],
  ["z", "ᴢΖ"]
]

const READS: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(([reads, lookalikes]) => Array.from(lookalikes, (char): [string, string] => [char, reads]))
)

/** Marks, invisible characters and separators: `send_mail` looks like `sendMail`. */
const IGNORED = /[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Pd}\p{Pc}./:\\]/gu

const reading = (char: string): string => READS.get(char) ?? READS.get(char.toLowerCase()) ?? char.toLowerCase()

export const readsAs = (name: string): string =>
  Array.from(name.normalize("NFKD").replace(IGNORED, ""), reading).join("")
