/** Images and sound of a server, from memory: the page loads nothing from an address. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { isDrawable, pictureSize } from "./pictureSize.ts"

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

const useBlobAddress = (bytes: Uint8Array<ArrayBuffer> | undefined, mimeType: string): string => {
  const [address, setAddress] = useState("")
  useEffect(() => {
    if (bytes === undefined) return
    const made = URL.createObjectURL(new Blob([bytes], { type: mimeType }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, mimeType])
  return address
}

/** Why it is not shown. */
const refusalOf = (bytes: Uint8Array | undefined, kind: "image" | "audio", mimeType: string): string | undefined => {
  if (bytes === undefined) return `The server sent ${mimeType} that cannot be shown.`
  if (kind === "audio") return undefined
  const size = pictureSize(bytes)
  if (size === undefined) return `The server sent ${mimeType} that cannot be shown.`
  if (isDrawable(size)) return undefined
  return `The server sent an image of ${size.width} × ${size.height} pixels: it is too large to be shown here.`
}

export const Media = (props: {
  readonly kind: "image" | "audio"
  readonly mimeType: string
  readonly data: string
  readonly from: string
}) => {
  const { data, from, kind, mimeType } = props
  const bytes = useMemo(() => bytesOf(data), [data])
  const refusal = useMemo(() => refusalOf(bytes, kind, mimeType), [bytes, kind, mimeType])
  const address = useBlobAddress(refusal === undefined ? bytes : undefined, mimeType)
  const [size, setSize] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  const subtype = mimeType.split("/")[1]?.toUpperCase() ?? mimeType
  if (refusal !== undefined) return <p class="quiet">{refusal}</p>
  if (isBroken) return <p class="quiet">The server sent {mimeType} that cannot be shown.</p>
  if (address === "") return null
  return (
    <figure class="media">
      {kind === "image" ? (
        <img
          src={address}
          decoding="async"
          alt={`Sent by ${from}`}
          onLoad={({ currentTarget: { naturalHeight, naturalWidth } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
          onError={() => setBroken(true)}
        />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a server sends none
        <audio controls src={address} aria-label={`Sound from ${from}`} onError={() => setBroken(true)} />
      )}
      <figcaption class="quiet">
        {subtype}
        {size === undefined ? "" : `, ${size}`}
      </figcaption>
    </figure>
  )
}
