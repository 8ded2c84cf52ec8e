/**
 * The gateways of this user that are running: each has a file in the data directory that describes it and names its socket. A file whose
 * process is gone, killed for example, is removed by whoever looks next, with its socket. The name of a file contains a random part, so a
 * file is never taken for that of another process with the same number.
 */
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { GATEWAY_FILE_MAX_BYTES, GATEWAY_FILES_MAX } from "../schemas/defaults/Control.ts"
import { RunningGateway } from "../schemas/control/Gateway.ts"
import { jsonFile } from "./jsonFile.ts"
import { closeToWriters, isMissing, isOthers, makeOwnDirectory, NotOurs, removeFile } from "./ownFiles.ts"
import { socketPath } from "./localSocket.ts"
import { exists, isOwnerAlive, Owner, thisProcess, type ProcessOwner } from "./processOwner.ts"

const GatewayFile = Schema.Struct({ ...RunningGateway.fields, owner: Owner, socket: Schema.String })
const files = jsonFile(GatewayFile, GATEWAY_FILE_MAX_BYTES)

/** A running gateway, and where to connect. */
export type Found = RunningGateway & { readonly socket: string }

const NAME = /^(\d{1,10})-[0-9a-f]{12}\.(json|sock)$/

const folderOf = (dataDirectory: string): string => join(dataDirectory, "gateways")

/** The folder of the gateways, if it belongs to another user, for example after a start as root. What is in it is not used then. */
export const foreignFolder = (dataDirectory: string): string | undefined => {
  const folder = folderOf(dataDirectory)
  try {
    return isOthers(lstatSync(folder)) ? folder : undefined
  } catch {
    // It is not there, or the data directory is no directory, or closed to us: no gateway is found there either.
    return undefined
  }
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .slice(0, GATEWAY_FILES_MAX)
  } catch {
    return []
  }
}

/** For steps whose failure does no harm: the next look repeats them. */
const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // It is gone already, or nothing can be removed here.
  }
}

const isGone = (name: string): boolean => !exists(Number(NAME.exec(name)![1]))

/** The file and the socket of a process that is gone. A path in a file is believed only where sockets are. */
const pathsOf = (folder: string, name: string, socket: string | undefined): ReadonlyArray<string> => {
  const isThere = socket !== undefined && dirname(socket) === folder && NAME.test(basename(socket))
  return [...(isThere ? [socket] : []), join(folder, name)]
}

/** Sockets of processes that were killed before they had a file. */
const leftSockets = (folder: string, known: ReadonlySet<string>): ReadonlyArray<string> =>
  namesIn(folder)
    .filter((name) => name.endsWith(".sock") && !known.has(join(folder, name)) && isGone(name))
    .map((name) => join(folder, name))

/** Without /proc, the start of a process is unknown: then its number decides, and its socket, which answers or does not. */
const isRunning = (owner: ProcessOwner): boolean | undefined => {
  const here = thisProcess()
  const isHere = owner.started === "" && owner.host === here.host && owner.space === here.space
  return isOwnerAlive(owner) ?? (isHere ? true : undefined)
}

/** The gateways that run, and the paths that others have left; removes nothing. */
const look = async (dataDirectory: string) => {
  const folder = folderOf(dataDirectory)
  const found: Array<Found> = []
  const left: Array<string> = []
  const known = new Set<string>()
  for (const name of namesIn(folder).filter((one) => one.endsWith(".json"))) {
    const file = await files.read(join(folder, name)).catch(() => undefined)
    if (file === undefined) {
      if (isGone(name)) left.push(...pathsOf(folder, name, undefined))
      continue
    }
    const { owner, ...gateway } = file
    known.add(gateway.socket)
    const alive = isRunning(owner)
    if (alive === false) left.push(...pathsOf(folder, name, gateway.socket))
    else if (alive === true) found.push(gateway)
  }
  return { found, left: [...left, ...leftSockets(folder, known)] }
}

/** What gateways that are gone have left: files, and sockets that exist. */
export const leftGatewayFiles = async (dataDirectory: string): Promise<ReadonlyArray<string>> =>
  (await look(dataDirectory)).left.filter((path) => existsSync(path))

/** All gateways that run, the oldest first. Those of other machines and containers with the same data directory are left out. */
export const findGateways = async (dataDirectory: string): Promise<ReadonlyArray<Found>> => {
  const { found, left } = await look(dataDirectory)
  for (const path of left) quietly(() => rmSync(path))
  return found.toSorted((one, other) => one.startedAt - other.startedAt)
}

/** A place for the socket of this process, and the file that announces it. */
export interface Place {
  readonly socket: string
  readonly announce: (self: RunningGateway) => Promise<void>
  readonly withdraw: () => Promise<void>
  /** Whether others still find it. */
  readonly isThere: () => boolean
}

/** Throws if no folder for it can be made. */
export const makePlace = (dataDirectory: string): Place => {
  const folder = folderOf(dataDirectory)
  if (foreignFolder(dataDirectory) !== undefined) throw new NotOurs(`${folder} belongs to another user`)
  makeOwnDirectory(folder)
  closeToWriters(dataDirectory)
  const name = `${process.pid}-${randomBytes(6).toString("hex")}`
  const path = join(folder, `${name}.json`)
  const socket = socketPath(folder, name)
  return {
    socket,
    announce: async (self) => {
      // Clients kill the gateways that they start: what those left must not pile up until somebody looks.
      await findGateways(dataDirectory)
      await files.replace(path, { ...self, owner: thisProcess(), socket })
    },
    withdraw: () =>
      removeFile(path).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      }),
    isThere: () => existsSync(path) && (dirname(socket) !== folder || existsSync(socket))
  }
}
