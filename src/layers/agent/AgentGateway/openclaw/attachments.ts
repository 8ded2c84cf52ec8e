/** Converts a person's message for `chat.send`. What the gateway would refuse is refused here, with the limit. */
import * as Result from "effect/Result"
import { sizeInBase64, sizeInBytes, toBase64, type Base64OrBytes } from "../../../../schemas/data/Base64.ts"
import type { GatewayLimits } from "../../../../schemas/agent/GatewayFrames.ts"
import { textOf, type UserFile, type UserPart } from "../../../../schemas/agent/UserMessage.ts"

interface Attachment {
  readonly type: "image" | "file"
  readonly mimeType: string
  readonly fileName: string
  /** Base64. */
  readonly content: string
}

export interface Outgoing {
  readonly message: string
  readonly attachments: ReadonlyArray<Attachment>
}

const NAME_MAX_CHARS = 100
const MIME_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,128}$/i

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** The last part of a URI or path: it becomes a file at the gateway. */
const fileNameOf = ({ mediaType, name }: UserFile, index: number): string => {
  const last = (name ?? "").split(/[/\\?#]/).findLast((part) => part !== "") ?? ""
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^[.\s]+/, "")
  const ending = /^[a-z]+\/([a-z0-9]{1,8})$/i.exec(mediaType)?.[1]
  return plain.slice(-NAME_MAX_CHARS) || `attachment-${index + 1}${ending === undefined ? "" : `.${ending}`}`
}

/** Encoded once it is known that the gateway accepts it. */
type Unencoded = Omit<Attachment, "content"> & { readonly content: Base64OrBytes }

const attach = (file: UserFile, index: number, limits: GatewayLimits): Result.Result<Unencoded, string> => {
  const { data, mediaType } = file
  const mimeType = MIME_TYPE.test(mediaType) ? mediaType.toLowerCase() : "application/octet-stream"
  const isImage = mimeType.startsWith("image/")
  const max = isImage ? limits.maxImageBytes : limits.maxAttachmentBytes
  const bytes = sizeInBytes(data)
  const fileName = fileNameOf(file, index)
  return bytes > max
    ? Result.fail(
        `${isImage ? "the image" : "the file"} ${JSON.stringify(fileName)} has ${megabytes(bytes)}, and the OpenClaw gateway takes ${megabytes(max)}`
      )
    : Result.succeed({ type: isImage ? "image" : "file", mimeType, fileName, content: data })
}

/** The overhead of an attachment, and of the whole message. */
const AROUND_BYTES = 512

/** The size of the frame, rounded up. */
const frameBytes = (message: string, attachments: ReadonlyArray<Unencoded>): number =>
  attachments.reduce(
    (sum, { content, fileName }) =>
      sum + sizeInBase64(content) + Buffer.byteLength(JSON.stringify(fileName)) + AROUND_BYTES,
    Buffer.byteLength(JSON.stringify(message)) + AROUND_BYTES
  )

/** Fails with a sentence. */
export const outgoing = (parts: ReadonlyArray<UserPart>, limits: GatewayLimits): Result.Result<Outgoing, string> => {
  const files = parts.filter((part) => part.type === "file")
  const message = textOf(parts)
  return Result.flatMap(Result.all(files.map((file, index) => attach(file, index, limits))), (attachments) => {
    const size = frameBytes(message, attachments)
    return size > limits.maxPayloadBytes
      ? Result.fail(
          `the message and its ${files.length} attachments are ${megabytes(size)} as they are sent, and the OpenClaw gateway takes ${megabytes(limits.maxPayloadBytes)} at once: send fewer or smaller ones`
        )
      : Result.succeed({
          message,
          attachments: attachments.map((one) => ({ ...one, content: toBase64(one.content) }))
        })
  })
}
