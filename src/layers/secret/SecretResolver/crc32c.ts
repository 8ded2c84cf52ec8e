/** CRC-32C (Castagnoli), the checksum that Google sends with a value. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0x82f63b78 : rest >>> 1
  return rest
})

export const crc32c = (bytes: Uint8Array): number => {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (TABLE[(rest ^ byte) & 255] ?? 0) ^ (rest >>> 8)
  return (rest ^ 0xffffffff) >>> 0
}
