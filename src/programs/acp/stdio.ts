/**
 * stdin and stdout as the stream of an ACP connection. From here on stdout carries frames and nothing else: what anybody
 * else writes there comes out on stderr.
 */
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { Readable } from "node:stream"
import { ACP_MESSAGE_MAX_BYTES } from "../../schemas/Defaults.ts"
import { withinLimit } from "./frames.ts"

export const stdioStream = (): Stream => {
  const { stderr, stdin, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  // Not done before it is handed over: a client that does not read makes us wait, and not pile up.
  const send = (chunk: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      write(chunk, (error) => (error === undefined || error === null ? resolve() : reject(error)))
    })
  const lines = withinLimit(ACP_MESSAGE_MAX_BYTES, (line) => send(`${line}\n`))
  const input = (Readable.toWeb(stdin) as ReadableStream<Uint8Array>).pipeThrough(lines)
  return ndJsonStream(new WritableStream<Uint8Array>({ write: send }), input, {
    maxMessageBytes: ACP_MESSAGE_MAX_BYTES
  })
}
