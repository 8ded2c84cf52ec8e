/**
 * What a name reads as: names that a reader, human or model, would take for one another have the same. For comparing only;
 * a name that only looks like another is rare enough that one pair too many does no harm.
 */

/** Letters of other scripts that look like those of ours, small and large; one row for each of ours. */
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

/** Marks, what cannot be seen, and what only separates: `send_mail` reads as `sendMail`. */
const IGNORED = /[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Pd}\p{Pc}./:\\]/gu

const reading = (char: string): string => READS.get(char) ?? READS.get(char.toLowerCase()) ?? char.toLowerCase()

export const readsAs = (name: string): string =>
  Array.from(name.normalize("NFKD").replace(IGNORED, ""), reading).join("")
