/** The forms in which a secret value may come back, as the contract of `Redactor` lists them. */

export const utf8 = (text: string) => Buffer.from(text, "utf8")
const hexOf = (code: number, digits: number) => code.toString(16).padStart(digits, "0")
const eachByte = (text: string, show: (byte: number) => string, separator = "") =>
  [...utf8(text)].map(show).join(separator)
const eachUnit = (text: string, show: (unit: number) => string) =>
  Array.from({ length: text.length }, (_, index) => show(text.charCodeAt(index))).join("")
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const inLines = (text: string, width: number, lineBreak: string) =>
  text.replace(new RegExp(`.{${width}}(?!$)`, "gs"), `$&${lineBreak}`)
const html = (text: string, escapes: Readonly<Record<string, string>>) =>
  text.replace(/[&<>"'`=/]/g, (char) => escapes[char] ?? char)

/** How a value comes back in the middle of a text. Each may be told only of values that it can be told of. */
export const FORMS: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "read as Latin-1": (value) => utf8(value).toString("latin1"),
  base64: (value) => utf8(value).toString("base64"),
  "base64 without padding": (value) => utf8(value).toString("base64").replace(/=+$/, ""),
  base64url: (value) => utf8(value).toString("base64url"),
  "base64 of Latin-1": (value) => Buffer.from(value, /[^\x00-\xff]/.test(value) ? "utf8" : "latin1").toString("base64"),
  "base64 with one character escaped": (value) => {
    const encoded = utf8(value).toString("base64")
    const middle = encoded.length >> 1
    return `${encoded.slice(0, middle)}%${hexOf(encoded.charCodeAt(middle), 2)}${encoded.slice(middle + 1)}`
  },
  "base64 of credentials": (value) => utf8(`user:${value}`).toString("base64"),
  "base64 of a file": (value) => utf8(`{"key":${JSON.stringify("x")},\n"y":"${value}"}`).toString("base64"),
  "base64 in lines": (value) =>
    inLines(utf8(`${".".repeat(50)} ${value} ${"~".repeat(50)}`).toString("base64"), 76, "\n"),
  "base64 in lines of JSON": (value) =>
    json(inLines(utf8(`${".".repeat(51)} ${value} ${"~".repeat(50)}`).toString("base64"), 60, "\n")),
  "base64 in lines of a mail": (value) =>
    inLines(utf8(`${".".repeat(52)} ${value} ${"~".repeat(50)}`).toString("base64"), 76, "\r\n"),
  "base64 in lines of YAML": (value) =>
    inLines(utf8(`${".".repeat(52)} ${value} ${"~".repeat(50)}`).toString("base64"), 64, "\n    "),
  hex: (value) => utf8(value).toString("hex"),
  "hex in capitals": (value) => utf8(value).toString("hex").toUpperCase(),
  "URL-encoded": (value) => encodeURIComponent(value),
  "URL-encoded in small letters": (value) =>
    encodeURIComponent(value).replace(/%../g, (escape) => escape.toLowerCase()),
  "URL-encoded twice": (value) => encodeURIComponent(encodeURIComponent(value)),
  "URL-encoded wholly": (value) => eachByte(value, (byte) => `%${hexOf(byte, 2)}`),
  "URL-encoded wholly, twice": (value) => eachByte(value, (byte) => `%25${hexOf(byte, 2).toUpperCase()}`),
  "form-encoded": (value) => new URLSearchParams({ k: value }).toString().slice(2),
  "form-encoded, then URL-encoded": (value) => encodeURIComponent(new URLSearchParams({ k: value }).toString()),
  JSON: (value) => json(value),
  "JSON, twice": (value) => json(json(value)),
  "JSON beyond ASCII": (value) => json(value).replace(/[^\x00-\x7f]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`),
  "JSON of Go": (value) => json(value).replace(/[<>&]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0), 4)}`),
  "JSON of PHP": (value) => json(value).replaceAll("/", "\\/"),
  "JSON of PHP, twice": (value) => json(json(value).replaceAll("/", "\\/")).replaceAll("/", "\\/"),
  "units of JSON": (value) => eachUnit(value, (unit) => `\\u${hexOf(unit, 4)}`),
  "units of JSON, twice": (value) => json(eachUnit(value, (unit) => `\\u${hexOf(unit, 4).toUpperCase()}`)),
  "JSON in a page": (value) => html(json(value), { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;" }),
  "bytes of C": (value) => eachByte(value, (byte) => `\\x${hexOf(byte, 2)}`),
  "octal bytes": (value) => eachByte(value, (byte) => `\\${byte.toString(8).padStart(3, "0")}`),
  "code points of JavaScript": (value) =>
    Array.from(value, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`).join(""),
  "HTML of Python": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" }),
  "HTML of Go": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" }),
  "HTML of PHP": (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#039;" }),
  "HTML of templates": (value) =>
    html(value, {
      "&": "&amp;",
      "<": "&lt;",
      ">": "&gt;",
      '"': "&quot;",
      "'": "&#39;",
      "/": "&#x2F;",
      "`": "&#x60;",
      "=": "&#x3D;"
    }),
  XML: (value) => html(value, { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" }),
  "HTML by number": (value) => Array.from(value, (char) => `&#${char.codePointAt(0)};`).join(""),
  "HTML by number in hex": (value) => Array.from(value, (char) => `&#x${char.codePointAt(0)!.toString(16)};`).join(""),
  "HTML by number, within HTML": (value) => Array.from(value, (char) => `&amp;#${char.codePointAt(0)};`).join(""),
  "within single quotes of a shell": (value) => value.replaceAll("'", "'\\''"),
  "quoted-printable": (value) =>
    eachByte(value, (byte) =>
      byte === 0x3d || byte > 0x7e || byte < 0x20 ? `=${hexOf(byte, 2).toUpperCase()}` : String.fromCharCode(byte)
    ).replace(/=0D|=0A|=09/g, (escape) => ({ "=0D": "\r", "=0A": "\n" })[escape] ?? "\t"),
  "Python in single quotes": (value) => json(value).replaceAll('\\"', '"').replaceAll("'", "\\'")
}

/** Of few bytes nothing is said. */
export const LISTS: Readonly<Record<string, (value: string) => string>> = {
  "hex with spaces": (value) => eachByte(value, (byte) => hexOf(byte, 2), " "),
  "hex with colons, in capitals": (value) => eachByte(value, (byte) => hexOf(byte, 2).toUpperCase(), ":"),
  "hex with hyphens": (value) => eachByte(value, (byte) => hexOf(byte, 2), "-"),
  "hex in pairs": (value) => utf8(value).toString("hex").replace(/..../g, "$& "),
  "numbers of C": (value) => eachByte(value, (byte) => `0x${hexOf(byte, 2)}`, ", "),
  "a list of numbers": (value) => JSON.stringify([...utf8(value)]),
  "a list of numbers with spaces": (value) => [...utf8(value)].join(", "),
  "a list of numbers, indented": (value) => JSON.stringify([...utf8(value)], null, 2)
}
