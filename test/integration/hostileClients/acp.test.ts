import { playAt } from "./group.ts"
import { acpOverPipes } from "./overPipes.ts"

playAt("acp", acpOverPipes)
