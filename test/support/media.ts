/** The smallest files that are what they say, one of each type that an order may bring. */
import { gzipSync } from "node:zlib"

const latin1 = (text: string) => Buffer.from(text, "latin1")
const be32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const le32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const riff = (form: string, body: Buffer) => Buffer.concat([latin1("RIFF"), le32(body.length + 4), latin1(form), body])

export const wav = (samples = 8) => {
  const format = Buffer.from([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0])
  const data = Buffer.alloc(samples * 2)
  return riff(
    "WAVE",
    Buffer.concat([latin1("fmt "), le32(format.length), format, latin1("data"), le32(data.length), data])
  )
}

const box = (type: string, ...content: ReadonlyArray<Buffer>) => {
  const body = Buffer.concat(content)
  return Buffer.concat([be32(body.length + 8), latin1(type), body])
}
const isoMedia = (brand: string) => Buffer.concat([box("ftyp", latin1(brand), be32(0), latin1("isom")), box("mdat")])

const ogg = (packet: Buffer) =>
  Buffer.concat([
    latin1("OggS"),
    Buffer.from([0, 2]),
    Buffer.alloc(8),
    be32(1),
    be32(0),
    be32(0),
    Buffer.from([1, packet.length]),
    packet
  ])

const ebml = (doctype: string) => {
  const type = Buffer.concat([Buffer.from([0x42, 0x82, 0x80 | doctype.length]), latin1(doctype)])
  return Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | type.length]), type])
}

/** One file of a name, in the form of POSIX or, without its magic, in the oldest one. */
export const tar = (form: "ustar" | "v7" = "ustar", content = "inside") => {
  const header = Buffer.alloc(512)
  header.write("a.txt", 0)
  header.write("0000644\0", 100)
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124)
  header.fill(" ", 148, 156)
  if (form === "ustar") header.write("ustar\x0000", 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  const body = Buffer.alloc(512)
  body.write(content)
  return Buffer.concat([header, body, Buffer.alloc(1024)])
}

const emptyZip = Buffer.concat([Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)])

export const PDF = latin1("%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF")

export const IMAGES: Readonly<Record<string, Buffer>> = {
  "image/jpeg": Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
    latin1("JFIF\0"),
    Buffer.alloc(9),
    Buffer.from([0xff, 0xd9])
  ]),
  "image/png": PNG,
  "image/gif": Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  "image/webp": riff("WEBP", Buffer.concat([latin1("VP8L"), le32(5), Buffer.from([0x2f, 0, 0, 0, 0, 0])]))
}

export const FILES: Readonly<Record<string, Buffer>> = {
  "application/pdf": PDF,
  "text/plain": Buffer.from("words, also ü and 🦞\n"),
  "text/markdown": Buffer.from("# A heading\n"),
  "text/html": Buffer.from("<!doctype html><p>x</p>"),
  "text/csv": Buffer.from("a,b\r\n1,2\r\n"),
  "application/json": Buffer.from('{"a":[1,-2.5e3,"\\u00fc",true,null,{}]}'),
  "audio/mpeg": Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]),
  "audio/wav": wav(),
  "audio/ogg": ogg(Buffer.concat([Buffer.from([1]), latin1("vorbis"), Buffer.alloc(23)])),
  "audio/mp4": isoMedia("M4A "),
  "audio/aac": Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x01, 0x7f, 0xfc, 0xde, 0x02, 0, 0]),
  "audio/flac": Buffer.concat([latin1("fLaC"), Buffer.from([0x80, 0, 0, 34]), Buffer.alloc(34)]),
  "audio/opus": ogg(Buffer.concat([latin1("OpusHead"), Buffer.from([1, 1]), Buffer.alloc(9)])),
  "video/mp4": isoMedia("mp42"),
  "video/webm": ebml("webm"),
  "video/quicktime": isoMedia("qt  "),
  "video/x-msvideo": riff("AVI ", Buffer.concat([latin1("LIST"), le32(4), latin1("hdrl")])),
  "application/zip": emptyZip,
  "application/gzip": gzipSync("inside"),
  "application/x-tar": tar(),
  "application/x-compressed-tar": gzipSync(tar())
}

/** Other spellings of a type. */
export const VARIANTS: ReadonlyArray<readonly [type: string, what: string, bytes: Buffer]> = [
  ["image/gif", "the older form", Buffer.from("GIF87a\x01\0\x01\0\0\0\0;", "latin1")],
  [
    "audio/mpeg",
    "with an ID3 tag",
    Buffer.concat([latin1("ID3\x04\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64])])
  ],
  ["audio/mpeg", "of layer 2", Buffer.from([0xff, 0xfd, 0x90, 0x04])],
  ["audio/aac", "of MPEG-2", Buffer.from([0xff, 0xf9, 0x50, 0x80, 0, 0, 0])],
  ["audio/aac", "with an ADIF header", latin1("ADIF\0\0\0\0")],
  ["audio/wav", "of 64 bits", Buffer.concat([latin1("RF64"), Buffer.from([255, 255, 255, 255]), latin1("WAVEds64")])],
  ["audio/mp4", "of a general brand", isoMedia("isom")],
  ["video/quicktime", "without a brand", Buffer.concat([box("wide"), box("mdat", Buffer.alloc(4))])],
  ["application/zip", "with an entry", Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.alloc(26)])],
  ["application/zip", "in parts", Buffer.concat([Buffer.from([0x50, 0x4b, 7, 8]), Buffer.alloc(26)])],
  ["application/x-tar", "of the oldest form", tar("v7")],
  ["application/x-tar", "with nothing in it", Buffer.alloc(1024)],
  ["application/json", "that is a number", Buffer.from(" -0.5E-7 \n")]
]

/** What looks a little like it, and is something else. */
export const IMPOSTORS: ReadonlyArray<readonly [type: string, what: string, bytes: Buffer]> = [
  ["image/jpeg", "half of the magic", Buffer.from([0xff, 0xd8])],
  [
    "image/png",
    "a magic that a text mode has changed",
    Buffer.concat([PNG.subarray(0, 4), latin1("\n\x1a\n"), PNG.subarray(8)])
  ],
  ["image/gif", "a form that there is not", latin1("GIF88a\x01\0\x01\0")],
  ["image/webp", "a sound", wav()],
  ["image/png", "a script", latin1("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["application/pdf", "something before it", latin1(" %PDF-1.1")],
  ["text/plain", "a NUL", Buffer.from("a\0b")],
  ["text/plain", "half a character", Buffer.from([0x61, 0xc3])],
  ["text/markdown", "an overlong form", Buffer.from([0xc0, 0xaf])],
  ["text/html", "half of a pair", Buffer.from([0xed, 0xa0, 0x80])],
  ["text/csv", "UTF-16", Buffer.from("a,b", "utf16le")],
  ["application/json", "a comma too many", Buffer.from("[1,]")],
  ["application/json", "two values", Buffer.from("{} {}")],
  ["application/json", "no value", Buffer.from("  ")],
  ["application/json", "a byte order mark", Buffer.from("\ufeff{}")],
  ["audio/mpeg", "a sound of another kind", FILES["audio/aac"]!],
  ["audio/mpeg", "a reserved bit rate", Buffer.from([0xff, 0xfb, 0xf0, 0x64])],
  ["audio/mpeg", "a reserved sample rate", Buffer.from([0xff, 0xfb, 0x9c, 0x64])],
  ["audio/aac", "a sound of another kind", FILES["audio/mpeg"]!],
  ["audio/wav", "a film", FILES["video/x-msvideo"]!],
  ["audio/ogg", "nothing of it", latin1("OggZ")],
  ["audio/opus", "another codec", FILES["audio/ogg"]!],
  ["audio/flac", "another case", latin1("FLAC")],
  ["audio/mp4", "a picture", isoMedia("avif")],
  ["video/mp4", "a film of another kind", isoMedia("qt  ")],
  ["video/mp4", "a picture", isoMedia("heic")],
  ["video/quicktime", "a film of another kind", isoMedia("mp42")],
  ["video/webm", "its bigger brother", ebml("matroska")],
  ["video/x-msvideo", "a sound", wav()],
  ["application/zip", "no known record", Buffer.from([0x50, 0x4b, 1, 1])],
  ["application/gzip", "another method", Buffer.from([0x1f, 0x8b, 0x07])],
  ["application/x-tar", "a wrong sum", Buffer.concat([Buffer.from("b"), tar().subarray(1)])],
  ["application/x-tar", "one block of nothing", Buffer.alloc(512)],
  ["application/x-compressed-tar", "an archive that is not compressed", tar()]
]

export const base64 = (bytes: Buffer): string => bytes.toString("base64")

/** A file of exactly so many bytes. */
export const sized = (bytes: Buffer, size: number): Buffer => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])
