/**
 * Sockets that only this user can reach: a Unix socket with mode 0600 in a folder with mode 0700, both of which must belong to this user. On
 * Windows, a named pipe with a random name.
 */
import { randomBytes } from "node:crypto"
import { chmodSync, lstatSync } from "node:fs"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { SOCKET_PATH_MAX_BYTES } from "../schemas/defaults/Control.ts"
import { isOthers, makeOwnDirectory, NotOurs } from "./ownFiles.ts"

const isWindows = process.platform === "win32"

/**
 * A path for a new socket. Makes its folder. Throws if the folder cannot be ours, or if the path is too long for a socket: in another place, a
 * server in a sandbox could reach it.
 */
export const socketPath = (folder: string, name: string): string => {
  if (isWindows) return `\\\\.\\pipe\\mcp-live-${randomBytes(16).toString("hex")}`
  const path = join(folder, `${name}.sock`)
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES)
    throw new NotOurs(
      `${path} is longer than the ${SOCKET_PATH_MAX_BYTES} bytes that a socket may have; use a shorter data directory`
    )
  makeOwnDirectory(folder)
  return path
}

/** Why a socket is not that of this user. */
const strangeness = (path: string): string | undefined => {
  if (isWindows) return undefined
  const folder = lstatSync(join(path, ".."))
  if (!folder.isDirectory() || isOthers(folder)) return "the folder of its socket is not one of this user"
  if ((folder.mode & 0o022) !== 0) return "others can write to the folder of its socket"
  const socket = lstatSync(path)
  if (!socket.isSocket()) return "its socket is no socket"
  return isOthers(socket) ? "its socket belongs to another user" : undefined
}

/** Listens at a path of `socketPath`. Rejects if what is there afterwards is not ours. */
export const listenAt = (path: string, take: (socket: Socket) => void, connectionsMax: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ pauseOnConnect: true }, take)
    server.maxConnections = connectionsMax
    server.once("error", reject)
    server.listen({ path }, () => {
      try {
        if (!isWindows) chmodSync(path, 0o600)
        const strange = strangeness(path)
        if (strange !== undefined) throw new NotOurs(strange)
        resolve(server.off("error", reject).on("error", () => {}))
      } catch (error) {
        server.close()
        reject(error as Error)
      }
    })
  })

/** Connects to a socket of this user. Rejects if it belongs to somebody else, or if nobody listens. */
export const connectTo = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const strange = strangeness(path)
    if (strange !== undefined) throw new NotOurs(strange)
    const socket = createConnection({ path })
    socket.once("error", reject)
    socket.once("connect", () => resolve(socket.off("error", reject)))
  })
