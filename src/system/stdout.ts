/** Takes stdout for a protocol: from then on, everything else that is written to stdout goes to stderr. */
export interface Stdout {
  /**
   * Resolves when the text was handed over, so that a caller that waits queues nothing for a reader that does not read. Rejects if there is no
   * reader any more.
   */
  readonly send: (chunk: Uint8Array | string) => Promise<void>
}

export const takeStdout = (): Stdout => {
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  // The sender gets the error from its own call. Without a listener, the event would end the process.
  stdout.on("error", () => {})
  return {
    send: (chunk) =>
      new Promise((resolve, reject) => {
        write(chunk, (error) => (error === undefined || error === null ? resolve() : reject(error)))
      })
  }
}
