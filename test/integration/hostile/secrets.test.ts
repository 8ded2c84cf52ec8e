import { SEC } from "./expectations/secrets.ts"
import { playClass } from "./group.ts"

playClass("SEC", SEC)
