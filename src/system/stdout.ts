/**
 * stdout as the way of a protocol. From when it is taken it carries what is sent and nothing else: what anybody else writes
 * there comes out on stderr.
 */
export interface Stdout {
  /**
   * Not done before it is handed over: who waits for it piles nothing up before a reader that does not read. Rejected when
   * there is no reader any more.
   */
  readonly send: (chunk: Uint8Array | string) => Promise<void>
}

export const takeStdout = (): Stdout => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  // Whoever sends is told by its own send; without anybody to hear it, the event would end the process.
  stdout.on("error", () => {})
  return {
    send: (chunk) =>
      new Promise((resolve, reject) => {
        write(chunk, (error) => (error === undefined || error === null ? resolve() : reject(error)))
      })
  }
}
