/** Optional peers of ours that are installed for the tests here alone: elsewhere they are missing, and must be. */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const { resolve } = createRequire(import.meta.url)

export const installed = (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href)
