/** ZIP archives as no tool writes them: any name, mode and declared size. */
import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly name: string
  readonly content?: Buffer | string
  /** Of Unix, with the kind of the file. */
  readonly mode?: number
  /** The size that is declared, if it is a lie. */
  readonly declared?: number
}

const FILE = 0o100644
const EMPTY = deflateRawSync(Buffer.alloc(0))

const numbers = (...pairs: ReadonlyArray<readonly [bytes: number, value: number]>): Buffer =>
  Buffer.concat(
    pairs.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes)
      field.writeUIntLE(value, 0, bytes)
      return field
    })
  )

export const zipOf = (entries: ReadonlyArray<ZipEntry>): Buffer => {
  const [files, directory]: [Array<Buffer>, Array<Buffer>] = [[], []]
  let offset = 0
  for (const { content = "", declared, mode = FILE, name } of entries) {
    const plain = Buffer.from(content)
    const [packed, title] = [plain.length === 0 ? EMPTY : deflateRawSync(plain), Buffer.from(name)]
    const common = numbers(
      [2, 20],
      [2, 0x800],
      [2, 8],
      [4, 0],
      [4, crc32(plain)],
      [4, packed.length],
      [4, declared ?? plain.length],
      [2, title.length],
      [2, 0]
    )
    const file = Buffer.concat([numbers([4, 0x04034b50]), common, title, packed])
    directory.push(
      numbers([4, 0x02014b50], [2, (3 << 8) | 20]),
      common,
      numbers([2, 0], [2, 0], [2, 0], [4, mode * 0x10000], [4, offset]),
      title
    )
    files.push(file)
    offset += file.length
  }
  const central = Buffer.concat(directory)
  const end = numbers(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, central.length],
    [4, offset],
    [2, 0]
  )
  return Buffer.concat([...files, central, end])
}
