import { SIZE } from "./expectations/sizes.ts"
import { playClass } from "./group.ts"

playClass("SIZE", SIZE)
