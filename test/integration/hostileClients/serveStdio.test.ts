import { playAt } from "./group.ts"
import { serveOverPipes } from "./overPipes.ts"

playAt("serve-stdio", serveOverPipes)
