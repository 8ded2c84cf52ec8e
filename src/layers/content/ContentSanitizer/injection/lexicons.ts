/** The languages in which instructions are recognized. */
import { ARABIC } from "./lexicon/arabic.ts"
import { CHINESE } from "./lexicon/chinese.ts"
import { CZECH } from "./lexicon/czech.ts"
import { DUTCH } from "./lexicon/dutch.ts"
import { ENGLISH } from "./lexicon/english.ts"
import { FRENCH } from "./lexicon/french.ts"
import { GERMAN } from "./lexicon/german.ts"
import { GREEK } from "./lexicon/greek.ts"
import { HEBREW } from "./lexicon/hebrew.ts"
import { HINDI } from "./lexicon/hindi.ts"
import { INDONESIAN } from "./lexicon/indonesian.ts"
import { ITALIAN } from "./lexicon/italian.ts"
import { JAPANESE } from "./lexicon/japanese.ts"
import { KOREAN } from "./lexicon/korean.ts"
import { PERSIAN } from "./lexicon/persian.ts"
import { POLISH } from "./lexicon/polish.ts"
import { PORTUGUESE } from "./lexicon/portuguese.ts"
import { RUSSIAN } from "./lexicon/russian.ts"
import { SPANISH } from "./lexicon/spanish.ts"
import { SWEDISH } from "./lexicon/swedish.ts"
import { THAI } from "./lexicon/thai.ts"
import { TURKISH } from "./lexicon/turkish.ts"
import { UKRAINIAN } from "./lexicon/ukrainian.ts"
import { VIETNAMESE } from "./lexicon/vietnamese.ts"
import type { Lexicon } from "./terms.ts"

/** In Latin letters. */
export const LATIN: ReadonlyArray<Lexicon> = [
  CZECH,
  DUTCH,
  ENGLISH,
  FRENCH,
  GERMAN,
  INDONESIAN,
  ITALIAN,
  POLISH,
  PORTUGUESE,
  SPANISH,
  SWEDISH,
  TURKISH,
  VIETNAMESE
]

/** In other scripts, a separate one for each. */
export const OTHERS: ReadonlyArray<Lexicon> = [
  ARABIC,
  CHINESE,
  GREEK,
  HEBREW,
  HINDI,
  JAPANESE,
  KOREAN,
  PERSIAN,
  RUSSIAN,
  THAI,
  UKRAINIAN
]

/** Terms for all of them. */
export { EVERY } from "./lexicon/every.ts"
