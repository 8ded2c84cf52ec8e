/** The place and the names of the files of the log about servers, for writers and readers. */
import { join } from "node:path"
import { lineFileNames } from "../data/LineFiles.ts"

export const serverLogDirectory = (dataDirectory: string): string => join(dataDirectory, "logs")

export const SERVER_LOG_FILES = lineFileNames("servers")
