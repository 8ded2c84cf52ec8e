/** The languages that orders are recognised in. */
import { ENGLISH } from "./lexicon/english.ts"
import { EVERY } from "./lexicon/every.ts"
import type { Lexicon } from "./terms.ts"

import { GERMAN } from "./lexicon/german.ts"
export const LEXICONS: ReadonlyArray<Lexicon> = [EVERY, ENGLISH, GERMAN]
