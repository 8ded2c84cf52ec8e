import { RES } from "./expectations/resources.ts"
import { playClass } from "./group.ts"

playClass("RES", RES)
