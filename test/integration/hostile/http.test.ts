import { HTTP } from "./expectations/http.ts"
import { playClass } from "./group.ts"

playClass("HTTP", HTTP)
