/**
 * The size of a picture in pixels, by what its file begins with. A file of some hundred kB can hold a picture that takes gigabytes of memory when a
 * browser draws it, so this is known before. Pure.
 */

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** A photo of a good camera; each pixel takes four bytes. */
const PIXELS_MAX = 32 * 1024 * 1024

const holds = (bytes: Uint8Array, at: number, text: string): boolean =>
  Array.from(text).every((char, i) => bytes[at + i] === char.charCodeAt(0))

const ofPng = (view: DataView): PictureSize => ({ width: view.getUint32(16), height: view.getUint32(20) })

const ofGif = (view: DataView): PictureSize => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) })

const ofWebp = (view: DataView, bytes: Uint8Array): PictureSize | undefined => {
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000 + 1
  if (holds(bytes, 12, "VP8X")) return { width: three(24), height: three(27) }
  if (holds(bytes, 12, "VP8L")) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!holds(bytes, 12, "VP8 ")) return undefined
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

/** Markers of frames: all from C0 to CF but tables and what is reserved. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const hasNoLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const ofJpeg = (view: DataView): PictureSize | undefined => {
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // Any number of these bytes may stand before a marker.
    if (marker === 0xff) at += 1
    else if (hasNoLength(marker)) at += 2
    else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}

/** `undefined` for what is no PNG, JPEG, GIF or WebP, whatever it is called. */
export const pictureSize = (bytes: Uint8Array): PictureSize | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (holds(bytes, 0, "\x89PNG\r\n\x1a\n") && holds(bytes, 12, "IHDR")) return ofPng(view)
    if (holds(bytes, 0, "GIF8")) return ofGif(view)
    if (holds(bytes, 0, "RIFF") && holds(bytes, 8, "WEBP")) return ofWebp(view, bytes)
    return holds(bytes, 0, "\xff\xd8") ? ofJpeg(view) : undefined
  } catch {
    // It ends too early.
    return undefined
  }
}

export const isDrawable = ({ height, width }: PictureSize): boolean => width * height <= PIXELS_MAX
