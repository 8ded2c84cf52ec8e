/**
 * Says in one sentence that Node is too old; otherwise the program would end with an error of some dependency. The package imports this module
 * first, because modules are evaluated in the order of their imports.
 */

/** The same as `engines` in `package.json`. */
export const OLDEST_NODE = [22, 19] as const

/** Says what is wrong with this version of Node; `undefined` if nothing is. */
export const nodeProblem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldest, oldestMinor] = OLDEST_NODE
  return major > oldest || (major === oldest && minor >= oldestMinor)
    ? undefined
    : `mcp-live needs Node ${OLDEST_NODE.join(".")} or newer; this is Node ${version}.`
}

const problem = nodeProblem(process.versions.node)
if (problem !== undefined) throw new Error(problem)
