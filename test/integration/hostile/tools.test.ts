import { TOOL } from "./expectations/tools.ts"
import { playClass } from "./group.ts"

playClass("TOOL", TOOL)
