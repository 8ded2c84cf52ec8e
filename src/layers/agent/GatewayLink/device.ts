/**
 * The devices of this data directory: key pairs that a gateway knows us by once they are paired. A gateway has one connection
 * per device and role, and a second one ends the first; so each process that is a node takes one that no other process has,
 * and gives it back. Readable by this user alone.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { link, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { GATEWAY_DEVICE_FILE_MAX_BYTES, GATEWAY_DEVICES_MAX } from "../../../schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { GatewayChallenge } from "../../../schemas/agent/GatewayFrames.ts"
import { holding, take } from "../../../system/fileLock.ts"
import { codeOf, fileSystemSays, makeOwnDirectory, nameBeside } from "../../../system/ownFiles.ts"
import { readOwnSecret } from "../../../system/secretFiles.ts"

export interface Claims {
  readonly clientId: string
  readonly mode: string
  readonly role: string
  readonly scopes: ReadonlyArray<string>
  readonly token: string
  readonly platform: string
}

export interface Device {
  readonly id: string
  /** What a connection shows to prove that it is this device. */
  readonly prove: (challenge: GatewayChallenge, claims: Claims) => Readonly<Record<string, unknown>>
}

const DIRECTORY = "gateway"
const RAW_KEY_BYTES = 32

// ---- one key pair --------------------------------------------------------------------------------------------------

const deviceOf = (pem: string): Device => {
  const privateKey = createPrivateKey(pem)
  const raw = createPublicKey(privateKey).export({ type: "spki", format: "der" }).subarray(-RAW_KEY_BYTES)
  const id = createHash("sha256").update(raw).digest("hex")
  const publicKey = raw.toString("base64url")
  return {
    id,
    prove: ({ nonce, ts }, { clientId, mode, platform, role, scopes, token }) => {
      const claims = ["v3", id, clientId, mode, role, scopes.join(","), String(ts), token, nonce, platform, ""]
      const signature = sign(null, Buffer.from(claims.join("|")), privateKey).toString("base64url")
      return { id, publicKey, signature, signedAt: ts, nonce }
    }
  }
}

const newKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/** What others can read or write could be anybody's device: it rejects. */
const readKey = async (path: string): Promise<string | undefined> =>
  (await readOwnSecret(path, GATEWAY_DEVICE_FILE_MAX_BYTES))?.text

/** The device of a file. One that cannot be read as a key is replaced: all that is lost is a pairing. */
const deviceAt = async (path: string): Promise<Device> => {
  const kept = await readKey(path)
  if (kept !== undefined) {
    try {
      return deviceOf(kept)
    } catch {
      await rm(path, { force: true })
    }
  }
  const fresh = `${nameBeside(path)}.tmp`
  try {
    await writeFile(fresh, newKey(), { flag: "wx", mode: 0o600 })
    // Two processes that make it at once end up with the same one.
    await link(fresh, path).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error
    })
  } finally {
    await rm(fresh, { force: true })
  }
  return deviceOf((await readKey(path)) ?? newKey())
}

// ---- for the link --------------------------------------------------------------------------------------------------

const unusable = (directory: string) => (error: unknown) =>
  new GatewayError({
    code: "LINK_DOWN",
    detail: `the key that an OpenClaw gateway knows us by cannot be kept in ${join(directory, DIRECTORY)}: ${fileSystemSays(error)}`
  })

const attempt = <A>(directory: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: unusable(directory) })

const folderOf = (directory: string): string => {
  const folder = join(directory, DIRECTORY)
  makeOwnDirectory(folder)
  return folder
}

/** The one that operators are: any number of them at a time. */
export const operatorDevice = (directory: string): Effect.Effect<Device, GatewayError> =>
  attempt(directory, async () => deviceAt(join(folderOf(directory), "operator.pem")))

/** A device that no other node in any process has, for the caller's Scope. */
export const nodeDevice = (directory: string): Effect.Effect<Device, GatewayError, Scope.Scope> =>
  holding(
    attempt(directory, async () => {
      const folder = folderOf(directory)
      for (let index = 0; index < GATEWAY_DEVICES_MAX; index++) {
        const path = join(folder, `node-${index}.pem`)
        const taken = take(`${path}.lock`)
        if (taken._tag === "Ours") return { ...taken.lock, path }
      }
      throw Object.assign(new Error("all are taken"), { code: `all ${GATEWAY_DEVICES_MAX} of them are in use` })
    })
  ).pipe(Effect.flatMap(({ path }) => attempt(directory, () => deviceAt(path))))
