/** Images and sound of a server, from memory: the page loads nothing from an address. */
import { useEffect, useState } from "preact/hooks"

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

const useBlobAddress = (data: string, mimeType: string): string | undefined => {
  const [address, setAddress] = useState<string | undefined>("")
  useEffect(() => {
    const bytes = bytesOf(data)
    const made = bytes === undefined ? undefined : URL.createObjectURL(new Blob([bytes], { type: mimeType }))
    setAddress(made)
    return () => {
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [data, mimeType])
  return address
}

export const Media = (props: {
  readonly kind: "image" | "audio"
  readonly mimeType: string
  readonly data: string
  readonly from: string
}) => {
  const { data, from, kind, mimeType } = props
  const address = useBlobAddress(data, mimeType)
  const [size, setSize] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  const subtype = mimeType.split("/")[1]?.toUpperCase() ?? mimeType
  if (address === undefined || isBroken) return <p class="quiet">The server sent {mimeType} that cannot be shown.</p>
  if (address === "") return null
  return (
    <figure class="media">
      {kind === "image" ? (
        <img
          src={address}
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
