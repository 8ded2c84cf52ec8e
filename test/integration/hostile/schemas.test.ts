import { SCH } from "./expectations/schemas.ts"
import { playClass } from "./group.ts"

playClass("SCH", SCH)
