/** A process of Node that was started with `--inspect=127.0.0.1:0`: its garbage is collected, and its memory read, from outside. */
import { readFileSync } from "node:fs"

export interface Inspected {
  readonly memory: () => Promise<{ readonly rssKiB: number; readonly heapKiB: number }>
  readonly close: () => void
}

const COLLECTIONS = 3

export const inspect = async (url: string, pid: number): Promise<Inspected> => {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", () => reject(new Error(`no debugger at ${url}`)))
  })
  let count = 0
  const ask = <A>(method: string) =>
    new Promise<A>((resolve) => {
      const id = ++count
      const hear = ({ data }: MessageEvent) => {
        const said = JSON.parse(String(data)) as { readonly id?: number; readonly result: A }
        if (said.id !== id) return
        socket.removeEventListener("message", hear)
        resolve(said.result)
      }
      socket.addEventListener("message", hear)
      socket.send(JSON.stringify({ id, method }))
    })
  return {
    memory: async () => {
      for (let i = 0; i < COLLECTIONS; i++) await ask("HeapProfiler.collectGarbage")
      const { usedSize } = await ask<{ readonly usedSize: number }>("Runtime.getHeapUsage")
      const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
      return { rssKiB: Number(kB), heapKiB: usedSize / 1_024 }
    },
    close: () => socket.close()
  }
}
