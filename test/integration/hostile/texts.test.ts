import { SAN } from "./expectations/texts.ts"
import { playClass } from "./group.ts"

playClass("SAN", SAN)
