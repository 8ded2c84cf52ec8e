import { PROC } from "./expectations/processes.ts"
import { playClass } from "./group.ts"

playClass("PROC", PROC)
