/** stdin and stdout as the stream of an ACP connection. From here on stdout carries frames only: other output goes to stderr. */
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { Readable } from "node:stream"
import { ACP_MESSAGE_BOUNDS, ACP_MESSAGE_MAX_BYTES } from "../../schemas/defaults/Acp.ts"
import { takeStdout } from "../../system/stdout.ts"
import { withinBounds } from "./frames.ts"

export const stdioStream = (): Stream => {
  const { send } = takeStdout()
  const lines = withinBounds(ACP_MESSAGE_BOUNDS, (line) => send(`${line}\n`))
  const input = (Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>).pipeThrough(lines)
  return ndJsonStream(new WritableStream<Uint8Array>({ write: send }), input, {
    maxMessageBytes: ACP_MESSAGE_MAX_BYTES
  })
}
