/**
 * The signature behind a bundle: `MCPB_SIG_V1`, the length of the signature in four bytes (little-endian), the signature (CMS, DER),
 * `MCPB_SIG_END`. It covers all bytes before it. Pure.
 */
import { BUNDLE_SIGNATURE_MAX_BYTES } from "../../defaults/Bundles.ts"

const HEADER = Buffer.from("MCPB_SIG_V1")
const FOOTER = Buffer.from("MCPB_SIG_END")
const LENGTH_BYTES = 4

export interface Signed {
  readonly content: Buffer
  /** `undefined` without one; `malformed` if its block is not one. */
  readonly signature: Buffer | "malformed" | undefined
}

const ARCHIVE_END = 0x06054b50
const ARCHIVE_END_BYTES = 22

/**
 * The bytes before the block, as they were signed. Some tools count the block as the comment of the archive after they have signed it;
 * the signed archive had no comment.
 */
const contentBefore = (file: Buffer, at: number): Buffer => {
  const content = file.subarray(0, at)
  const end = at - ARCHIVE_END_BYTES
  const isCounted =
    end >= 0 && content.readUInt32LE(end) === ARCHIVE_END && content.readUInt16LE(at - 2) === file.length - at
  if (!isCounted) return content
  const signed = Buffer.from(content)
  signed.writeUInt16LE(0, at - 2)
  return signed
}

/** Only the very end of the file counts: nothing may follow a signature. */
export const splitSignature = (file: Buffer): Signed => {
  const footer = file.length - FOOTER.length
  if (footer < 0 || !file.subarray(footer).equals(FOOTER)) return { content: file, signature: undefined }
  // From the nearest possible place: what is signed could contain the words itself.
  const earliest = Math.max(0, footer - BUNDLE_SIGNATURE_MAX_BYTES - LENGTH_BYTES - HEADER.length)
  for (
    let at = file.lastIndexOf(HEADER, footer);
    at >= earliest;
    at = at === 0 ? -1 : file.lastIndexOf(HEADER, at - 1)
  ) {
    const begin = at + HEADER.length + LENGTH_BYTES
    if (begin <= footer && file.readUInt32LE(begin - LENGTH_BYTES) === footer - begin) {
      return { content: contentBefore(file, at), signature: file.subarray(begin, footer) }
    }
  }
  return { content: file, signature: "malformed" }
}
