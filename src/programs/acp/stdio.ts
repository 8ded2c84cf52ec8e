/**
 * stdin and stdout as the stream of an ACP connection. From here on stdout carries frames and nothing else: what anybody
 * else writes there comes out on stderr.
 */
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { Readable } from "node:stream"
import { ACP_MESSAGE_MAX_BYTES } from "../../schemas/Defaults.ts"

export const stdioStream = (): Stream => {
  const { stderr, stdin, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  const output = new WritableStream<Uint8Array>({
    // Not done before it is handed over: a client that does not read makes us wait, and not pile up.
    write: (chunk) =>
      new Promise((resolve, reject) => {
        write(chunk, (error) => (error === undefined || error === null ? resolve() : reject(error)))
      })
  })
  const input = Readable.toWeb(stdin) as ReadableStream<Uint8Array>
  return ndJsonStream(output, input, { maxMessageBytes: ACP_MESSAGE_MAX_BYTES })
}
