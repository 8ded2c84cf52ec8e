/**
 * Maps the units of a text to the few symbols of terms: without case, accents, width and style. Latin letters are the symbols
 * 1 to 26, letters of other scripts stay units.
 */

import { KINDS_OF_RANGES } from "./tables/kinds.ts"

/** A letter that occurs in no term. */
export const FOREIGN = 0
export const DIGIT = 27
/** Between words: white space, and signs that end nothing. */
export const SPACE = 28
/** A beginning: after the end of a sentence, a bracket, a quotation mark, a line break. */
export const START = 29
/** Has no width, or only modifies the letter before it. */
export const IGNORED = 30

/** Symbols from here on are letters of other scripts. */
const OTHER_LETTERS = 0x250
export const isOther = (symbol: number): boolean => symbol >= OTHER_LETTERS

/** Letters of the scripts of terms, and styled letters. Signs and pictures are not letters. */
export const OTHER =
  /[\u0370-\u1dff\u1f00-\u1fff\u2e80-\u2fff\u3005-\u3007\u3021-\u302f\u3031-\u303a\u3041-\ud7ff\ud835\uf900-\ufdff\ufe70-\ufeff\uff10-\uffef]/

/** The symbol of a unit, or the base unit of a letter of another script. */
export const symbolOf = (code: number): number => {
  if (code < 0x80) return symbolOfAscii(code)
  if (within(MARKS, code)) return IGNORED
  const char = String.fromCharCode(code)
  const other = OTHERS.get(char)
  if (other !== undefined) return other
  if (within(KEPT, code)) return SIMPLER.get(char) ?? code
  const base = char.normalize("NFKD").toLowerCase().charCodeAt(0)
  if (base < 0x80) return symbolOfAscii(base)
  const folded = OTHERS.get(String.fromCharCode(base))
  if (folded !== undefined) return folded
  if (base < OTHER_LETTERS) return LETTER.test(char) ? FOREIGN : BEGINS.test(char) ? START : SPACE
  return within(SIGNS, base) ? (BEGINS.test(char) ? START : SPACE) : base
}

const symbolOfAscii = (code: number): number => {
  const char = String.fromCharCode(code).toLowerCase()
  if (char >= "a" && char <= "z") return char.charCodeAt(0) - 0x60
  if (char >= "0" && char <= "9") return DIGIT
  return BEGINS.test(char) ? START : SPACE
}

const LETTER = /\p{L}/u
const BEGINS = /[\n\r./~\\!?:;"“”„«»‹›()[\]{}<>|•·–—…。！？：；「」『』（）【】《》〈〉［］“”．।॥؟؛։؛·‧・]/

type Ranges = ReadonlyArray<readonly [number, number]>
const within = (ranges: Ranges, code: number) => ranges.some(([first, last]) => code >= first && code <= last)

const MARKS: Ranges = [
  [0xad, 0xad],
  [0x300, 0x36f],
  [0x483, 0x487],
  [0x591, 0x5bd],
  [0x5bf, 0x5bf],
  [0x5c1, 0x5c2],
  [0x5c4, 0x5c5],
  [0x5c7, 0x5c7],
  [0x610, 0x61a],
  [0x640, 0x640],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x93c, 0x93c],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2064],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff]
]

/** Scripts whose letters would decompose into more than a base and marks: Indic, Thai, kana, Han, Hangul. */
const KEPT: Ranges = [
  [0x900, 0x957],
  [0x960, 0xdff],
  [0xe00, 0xe7f],
  [0x3041, 0x3096],
  [0x309d, 0x309f],
  [0x30a1, 0x30fa],
  [0x30fc, 0x30ff],
  [0x3400, 0x9fff],
  [0xac00, 0xd7a3]
]

const SIGNS: Ranges = [
  [0x2000, 0x2bff],
  [0x3000, 0x3020],
  [0x3030, 0x303f],
  [0xd800, 0xf8ff],
  [0xfe10, 0xfe6f],
  [0xfff0, 0xffff],
  [0x55a, 0x55f],
  [0x589, 0x58a],
  [0x5be, 0x5c6],
  [0x5f3, 0x5f4],
  [0x60c, 0x60d],
  [0x61b, 0x61f],
  [0x66a, 0x66d],
  [0x6d4, 0x6d4],
  [0x30fb, 0x30fb],
  [0x37e, 0x37e],
  [0x387, 0x387]
]

/** Letters without a Unicode decomposition. */
const OTHERS: ReadonlyMap<string, number> = new Map([
  ...pairs("ıi łl ŁL đd ĐD øo ØO æa ÆA œo ŒO ßs þt ðd ÐD ħh ŋn ªa ºo").map(([from, to]): [string, number] => [
    from,
    symbolOfAscii(to.charCodeAt(0))
  ]),
  // Arabic and Persian forms of a letter, and Hebrew final letters.
  ...pairs("ىي ةه یي کك ەه ךכ םמ ןנ ףפ ץצ ςσ ँं").map(([from, to]): [string, number] => [from, to.charCodeAt(0)]),
  ["।", START],
  ["॥", START],
  ["・", SPACE],
  ["、", SPACE]
])

/** Traditional forms of the Chinese characters in terms. */
const SIMPLER: ReadonlyMap<string, number> = new Map(
  pairs(
    "無无 視视 記记 說说 説说 規规 則则 設设 訊讯 係系 統统 現现 開开 從从 後后 將将 請请 給给 發发 問问 檔档 碼码 鑰钥 傳传 轉转 貼贴 輸输 內内 詞词 語语 話话 對对 應应 該该 須须 務务 權权 員员 廠厂 議议 關关 閉闭 禁禁 戶户 別别 讓让 偷偷 靜静 絕绝 續续 級级 調调 試试 進进 態态 這这 個个 頁页 訓训 練练 歷历 紀纪 錄录 號号 帳账 銀银 資资 產产 舉举 報报 運运 執执 動动 點点 讀读 寫写 誰谁 機机 總总 結结 評评 審审 閱阅 簡简 滿满 師师 導导 準准 劃划 倫伦 類类 們们 證证 門门 實实 際际 東东 條条 約约 優优 據据 為为 與与 過过 還还 時时 僅仅 專专 業业 課课 學学 電电 網网 連连 線线 鏈链 獲获 題题 顯显 隱隐 藏藏 暫暂 異异 處处 護护 詢询 認认 許许 諾诺 衝冲 達达 舊旧 廢废 撤撤 銷销 刪删 買买 購购 匯汇 賬账 價价 獎奖 幫帮 響响 應应 聽听 單单 擁拥 變变 換换 舊旧 體体 協协 監监 啟启 終终 經经 決决 確确 親亲 愛爱 孫孙 媽妈"
  ).map(([from, to]): [string, number] => [from, to.charCodeAt(0)])
)

function pairs(list: string): ReadonlyArray<readonly [string, string]> {
  return list.split(" ").map((pair) => [pair.charAt(0), pair.charAt(1)])
}

/** The units that are not all `SPACE`. */
export const RANGES: Ranges = [[0, OTHER_LETTERS - 1], [0x1e00, 0x1eff], [0x2000, 0x2bff], [0xff01, 0xff5e], ...MARKS]

/** By kind, its sign in the table. */
export const KIND_SIGNS = "0abcdefghijklmnopqrstuvwxyz9~.-"

/** The symbol of each unit in a text in Latin letters, where other letters are not read: they are `SPACE`. */
export const KINDS = new Uint8Array(0x10000).fill(SPACE)
for (const [place, signs] of KINDS_OF_RANGES.trim().split("\n").entries()) {
  const [first] = RANGES[place]!
  for (let index = 0; index < signs.length; index++) KINDS[first + index] = KIND_SIGNS.indexOf(signs[index]!)
}

/** A table by unit of what depends on the kind alone. Few units are not `SPACE`, and every start of a gateway makes the tables. */
export const byUnit = (valueOf: (kind: number) => number): Int32Array => {
  const values = Int32Array.from({ length: IGNORED + 1 }, (_, kind) => valueOf(kind))
  const table = new Int32Array(KINDS.length).fill(values[SPACE]!)
  for (const [first, last] of RANGES) {
    for (let unit = first; unit <= last; unit++) table[unit] = values[KINDS[unit]!]!
  }
  return table
}
